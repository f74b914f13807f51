"""The SQLite store: derived from the records by every build."""
