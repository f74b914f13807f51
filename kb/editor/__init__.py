"""Editing records in the browser."""
