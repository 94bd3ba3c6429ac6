"""The database: one schema for SQLite and PostgreSQL, transactions, and leases on claimed rows."""
