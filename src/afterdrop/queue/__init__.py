"""Rows as the queue: claimed with a lease, worked off, given back; and jobs that a timetable starts."""
