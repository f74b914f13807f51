"""Text records -> checked objects. Knows files; knows nothing of SQL, HTML or HTTP."""
