"""Everything that talks to other people's servers; parsing stands apart from fetching."""
