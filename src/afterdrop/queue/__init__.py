"""What runs by itself: the timetable, the daily scan, and the workers."""
