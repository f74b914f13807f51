"""The bounds of what clients may ask for, the same for the API, assistants and chats."""

from __future__ import annotations

# In characters.
MAX_ID = 100
MAX_DECK = 20_000
MAX_LIMIT = 100
SLUG_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$"
LANG_PATTERN = "^[a-z]{2,3}$"
DATE_PATTERN = "^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"
# No control characters.
TEXT_PATTERN = r"^[^\x00-\x1f\x7f]*$"
