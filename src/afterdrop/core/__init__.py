"""What all other packages use: settings, the clock, errors, domain names, safe text."""
