"""One archived page: its bytes read into the values that the rules judge."""
