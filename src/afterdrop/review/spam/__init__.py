"""Spam: phrases of the trades, the judgement of a page, and of a whole site."""
