"""Look-ups that users run: registration, DNS records and Domain Rating of a name. They are counted and cached."""
