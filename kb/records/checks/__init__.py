"""Checks of records: each yields problems."""
