"""What every package uses: problems, URLs, JSON, parallel work."""
