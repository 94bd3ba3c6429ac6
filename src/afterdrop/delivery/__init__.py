"""Deliver events to webhook receivers and mails to people."""
