"""The history of a site: captures chosen, eras, changes, findings."""
