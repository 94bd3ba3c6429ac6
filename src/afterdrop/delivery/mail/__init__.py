"""Mail: messages, the rows that carry them, the mail server."""
