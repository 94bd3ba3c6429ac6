"""Parked pages: providers, markers, and the years a domain stood parked."""
