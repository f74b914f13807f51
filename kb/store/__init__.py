"""The store, in SQLite or PostgreSQL: derived from the records by every build."""
