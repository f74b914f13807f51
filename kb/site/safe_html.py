"""The HTML that a text may become, and no other."""

from __future__ import annotations

import nh3

SCHEMES = {"http", "https", "mailto"}
_TAGS = set(
    "p br em strong a ul ol li blockquote code pre h2 h3 h4 hr"
    " table thead tbody tr th td del".split()
)
BLOCKS = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "blockquote": "blockquote",
    "table": "table",
}
_ATTRIBUTES = {
    "a": {"href", "title", "class", "data-card"},
    "ol": {"start"},
    "th": {"align"},
    "td": {"align"},
}
_ATTRIBUTES |= {tag: {"id", *_ATTRIBUTES.get(tag, ())} for tag in BLOCKS.values()}
# Setting one up takes longer than cleaning a text.
CLEANER = nh3.Cleaner(tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=SCHEMES, link_rel=None)
