"""Importers of foreign formats: drafts of records, and every line that became no draft."""
