"""Questions to the outside world: the web archive, registries, DNS, link metrics, the open web graph."""
