"""The JSON API: endpoints, the order of their checks, the OpenAPI document."""
