"""Features of an account: alert rules, watchlist, matching, digests, reminders; notes, tags, saved filters."""
