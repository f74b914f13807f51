"""Data for other programs: answers as dataclasses, rulings as JSON, exports."""
