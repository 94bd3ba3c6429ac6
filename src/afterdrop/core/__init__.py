"""What everything else stands on: settings, the clock, errors, domain names, safe text."""
