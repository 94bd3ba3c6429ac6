"""Whether a name that ended is free: when the registry is asked again, and what its answers mean."""
