"""What accounts follow and keep: alert rules, watchlist, matching, digests, reminders; notes, tags, saved filters."""
