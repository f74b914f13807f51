"""The query language, retrieval and ranking."""
