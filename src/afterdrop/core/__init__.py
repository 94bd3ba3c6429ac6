"""The base of all other packages: settings, the clock, errors, domain names, safe text."""
