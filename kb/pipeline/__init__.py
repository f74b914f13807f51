"""The build: one pipeline, one cache, staging and the swap."""
