"""The SQLite store: derived from the records alone, made anew by every build."""
