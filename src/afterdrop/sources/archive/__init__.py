"""The web archive: its index, its captures, and local WARC and ARC files that stand in for it."""
