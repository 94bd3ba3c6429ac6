"""What an account keeps for itself: notes, tags, saved filters, what it has seen, and links it shares."""
