"""Alert rules and watches held against the catalogue."""
