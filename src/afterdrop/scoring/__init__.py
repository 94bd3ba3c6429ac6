"""Scoring: is a name worth a review, and what is it worth once reviewed. Pure rules over known values."""
