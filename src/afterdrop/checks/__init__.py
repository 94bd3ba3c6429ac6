"""Domain checks: a full report of any domain, ordered with a credit."""
