"""What a site is built with, besides the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kb.site.templates import Templates

if TYPE_CHECKING:
    from kb.records.history import Change, RevisionDiff
    from kb.records.site_config import SiteFiles


@dataclass(frozen=True)
class SiteOptions:
    """A webmaster's options.

    `base_url`: where the site will be served. `interfaces`: the languages of the interface; if
    empty, those of each game.
    """

    base_url: str = ""
    interfaces: tuple[str, ...] = ()


class History(NamedTuple):
    """The history of the records.

    `changes`: every change. `changed`: time of the last change, by path. `past`: recent diffs, by
    key.
    """

    changes: Sequence[Change] = ()
    changed: Mapping[str, str] = MappingProxyType({})
    past: Mapping[str, tuple[RevisionDiff, ...]] = MappingProxyType({})


@dataclass(frozen=True)
class SiteSettings:
    """What a site is built with. `own`: what the webmaster says of the site."""

    templates: Templates
    options: SiteOptions
    own: SiteFiles
    history: History
    build_date: str
