"""Workers: their timetable, their leaving, their health, what they clear away."""
