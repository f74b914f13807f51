"""What other programs get: answers as dataclasses, rulings as JSON and Markdown, exports."""
