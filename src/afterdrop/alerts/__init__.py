"""Alert rules, the watchlist, matching, reminders and digests."""
