"""Webhooks: endpoints, signed deliveries, retries, results."""
