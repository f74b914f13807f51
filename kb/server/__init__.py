"""Serving the base over HTTP."""
