"""The static site: what is on each page, and how it is rendered."""
