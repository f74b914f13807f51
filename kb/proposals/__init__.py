"""Proposals: changes and new records that others hand in as a file, merged into the records."""
