"""What is asked of the outside world: the web archive, registries, DNS, link metrics, the open web graph."""
