"""The three lists: what they can be filtered and sorted by, from memory and from SQL."""
