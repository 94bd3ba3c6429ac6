"""Input made to choke the service: one module a class, each with the cases made by code."""
