"""Workers: timetable, graceful stop, health, pruning, outages."""
