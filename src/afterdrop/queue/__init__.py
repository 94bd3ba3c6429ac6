"""The queue runtime: rows are claimed with a lease, worked on and settled; a timetable starts jobs."""
