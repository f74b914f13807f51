"""Importers of foreign formats: they give drafts of records, and list every line without one."""
