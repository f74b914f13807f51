"""Data for other programs: answers as dataclasses, rulings as JSON and Markdown, exports."""
