"""Accounts: who may see and do what, keys, credits, limits."""
