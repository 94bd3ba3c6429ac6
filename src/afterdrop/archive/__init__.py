"""The web archive: its index, its captures, and WARC and ARC files read in its place."""
