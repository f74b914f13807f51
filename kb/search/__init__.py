"""Full-text search. Whoosh stays behind this room; the query language is ours."""
