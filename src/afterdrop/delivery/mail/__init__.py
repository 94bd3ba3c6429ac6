"""Mails: their texts, the queue, and the mail server."""
