"""The database: one schema for SQLite and PostgreSQL; the rows are the queue."""
