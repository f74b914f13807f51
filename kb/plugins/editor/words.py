"""Messages of the editor's scripts.

Problems of records stay in English, as in `kb check`.
"""

from __future__ import annotations

from kb.site.i18n import Catalog

SCRIPT = {
    "unreachable": "The server cannot be reached. Your text is still here.",
    "unreadable": "The server sent an unreadable response.",
    "recorded": "Will be recorded when you save.",
    "unrecorded": "Not recorded yet.",
    "stale": "The original has changed since this translation was made.",
    "line": "line %(line)s",
    "others": "This change causes problems in other records:",
    "whole": "Problems with the record as a whole:",
    "similar": "%(percent)s similar, %(ruling)s",
    "notyet": "Not saved yet",
    "saving": "Saving…",
    "faulty": "The record was not saved because it has problems.",
    "notwritten": "The record was not saved.",
    "notsaved": "Not saved",
    "saved": "Saved",
    "uncommitted": "Saved, but not committed (%(not_committed)s)",
    "committed": "Saved and committed as %(revision)s",
    "nochanges": "No changes to save",
    "added": "Added %(name)s; save the ruling to use it",
    "savefirst": "Save your changes first",
    "noform": "A form cannot show the record on disk any more (%(reason)s)."
    " Your text is still here. Correct the record as text, then save again.",
    "merged": "Somebody else has changed this record since you opened it, in other fields."
    " The form has both edits now. Check it, then save again.",
    "disk": "On disk now:",
    "take": "Take this",
    "keep": "Keep mine",
    "nothing": "(empty)",
    "again": "Now save again",
    "delete": "Delete %(ruling)s?",
    "suggestions": "Suggestions",
    "nosuggestions": "No suggestions",
    "addto": "Add",
    "remove": "Remove %(name)s",
    "proposed": "proposed from the name",
}
# Of fields of the header, by name.
HINTS = {
    "verdict": "yes, no, if or a number",
    "when": "of the verdict “if”; at most 40 characters",
    "date": "2003, 2003-06 or 2003-06-01",
    "effective": "if not from its date",
    "effective_until": "that day excluded",
    "because": "why it supersedes another, or was reversed or withdrawn",
    "different_from": "other-id (the difference)",
    "formerly": "their addresses redirect here",
}
LABELS = {
    "id": "Id",
    "name": "Name",
    "version": "Version",
    "set": "Set",
    "type": "Type",
    "title": "Title",
    "source": "Source (id)",
    "provision": "Provision",
    "meaning": "Meaning",
}
COUNTED = {
    "refused": ("Not saved: %(num)s problem", "Not saved: %(num)s problems"),
    "savedwith": (
        "Saved with %(num)s problem; the site shows the last build without problems",
        "Saved with %(num)s problems; the site shows the last build without problems",
    ),
    "choosefirst": (
        "First choose between the two edits in %(num)s field",
        "First choose between the two edits in %(num)s fields",
    ),
    "choosemore": ("Choose in %(num)s more field", "Choose in %(num)s more fields"),
    "conflict": (
        "Somebody else has changed this record since you opened it."
        " Both edits changed %(num)s field: choose one, then save again.",
        "Somebody else has changed this record since you opened it."
        " Both edits changed %(num)s fields: choose one in each, then save again.",
    ),
    "choices": (
        "%(num)s suggestion; Enter takes the marked one, the arrow keys choose",
        "%(num)s suggestions; Enter takes the marked one, the arrow keys choose",
    ),
    "versions": ("any of %(num)s version", "any of %(num)s versions"),
}
# Refusals without a name of a record, which can therefore be translated.
DETAILS = (
    "There is no such ruling.",
    "The token is wrong.",
    "Too many wrong tokens. Wait a minute, then try again.",
)


def script_words(words: Catalog) -> dict[str, object]:
    """Return the messages of the editor's scripts, with lists of plural forms for numbers."""
    return {
        **{key: words(text) for key, text in SCRIPT.items()},
        **{key: words.plural(forms) for key, forms in COUNTED.items()},
        "labels": {key: words(text) for key, text in LABELS.items()},
    }
