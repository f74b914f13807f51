"""The modules that every package uses: problems, URLs, JSON, parallel work."""
