"""The catalogue: the published domains, who may see what of them, and what became of their registrations."""
