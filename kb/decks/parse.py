"""Parses a deck list into lines, each with its possible names and copies.

Only the card names decide which reading of a line is right: `725 to 1` is a card, `2 Darth Sidious`
are two copies. So a line keeps all of its readings, the likeliest first.
`templates/static/deck-core.js` reads the same; `tests/decks/vectors.json` holds both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from kb.core.characters import clean_typed
from kb.core.problems import KbError

MAX_LINES = 2_000
MAX_LENGTH = 200
MAX_ROW = 2_000
# The head of a table stands among the first lines, below a title.
MAX_HEAD = 10
# The first cuts at a name's ends that give a name each, as brackets may be a part of it.
MAX_SETS = 4
# Pieces of a line that are tried apart from its readings.
MAX_PIECES = 10
_COUNT = r"([0-9]{1,3})"
# Influence, and signs of promotional and banned cards.
_DOTS = "[●○•◦∙·⬤★☆†✔]"
_COUNT_WORD = (
    r"(?:[xXхХ×*]|шт(?:ук[аи]?)?\.?|ks\.?|kus[yů]?|kusov|krát|szt(?:uk[ai]?)?\.?|kopi[aei])"
)
_COPIES = rf"[0-9]{{1,3}}(?: ?{_COUNT_WORD}? |[xXхХ×])"
# The browser reads these too: only syntax that Python and JavaScript share.
PATTERNS = {
    # A bullet or a number, and the marks of a chat: a quotation, code, bold. `+2 Mace` is a name.
    "bullet": re.compile(
        r"^(?:(?:[-–—+•*·]|[0-9]{1,3}[.)])\s+|[-–—](?=[0-9])|(?:->|[>→▪▫■□☐☑◦])\s*"
        r"|[`*_]+(?=[^`*_\s])|SB:\s*)+"
    ),
    "comment": re.compile(r'^(?://|#|;|--|<!--|"?sep=)'),
    "json": re.compile(r'^\s*(?:\{\s*"|\[\s*[{"])'),
    # Several cards on a line, as `4 Sidious, 2 Speeder` or `4 Sidious / 2 Speeder`: how it begins,
    # and where the next begins.
    "manyCards": re.compile(rf"^ *(?:[^0-9:]{{1,20}}: +)?{_COPIES}"),
    "nextCard": re.compile(rf"(?:[,;]| [/+&]| and) +(?={_COPIES})"),
    # Several cards in a row, by the kinds of its cells, and how each of them begins; a set.
    "columns": re.compile(r"^(?:((nt|tn)[st]*)(?: *\1)+ *|([fl])[st ]*(?:\3[st ]*)+)$"),
    "setCell": re.compile(r"^[A-Z]{2,4}$"),
    # A cell with the version of the name before it; a version behind a name.
    "versionCell": re.compile(r"^[A-Z]$"),
    "version": re.compile(r"[(\[/+,;]\s*[A-Za-z]\s*(?:[)\]/+,;]|$)"),
    "remark": re.compile(r"\s+(?://|#\s|--\s).*$"),
    "countFirst": re.compile(
        rf"^(?:{_COUNT}(?:\s*{_COUNT_WORD}?[\s,;]|[xXхХ×])|[xX×]{_COUNT}(?![0-9])[\s,;]?)\s*(\S.*)$"
    ),
    "countLast": re.compile(
        rf"^(.*?\S)[\s,;]*(?:(?:[\s,;(\[]{_COUNT_WORD}|[xX×])\s*{_COUNT}"
        rf"|[\s,;(\[]{_COUNT}\s*{_COUNT_WORD}?)[)\];]*$"
    ),
    # The number of the card in its set, unless the text before it is a name.
    "numberLast": re.compile(r"\)\s+(?:[A-Z]{2,4}\s+)?[0-9]{1,3}$"),
    # Set, category or level, a foil mark, a number, a tag, a label, influence, marks of a chat, and
    # a set and its number.
    "set": re.compile(
        r"\s*(?:\[[^\[\]]*\]|\{[^{}]*\}|<[^<>]*>|\*[A-Za-z]{1,5}\*|#[0-9]+|\^[^^]*\^"
        rf"|{_DOTS}+|[`*_]+)\s*$|\s#[^#]*$|\s[A-Z]{{2,4}}\s?[0-9]{{1,3}}$"
    ),
    "printing": re.compile(r"\s+\([^()]*\)(?:\s+[A-Za-z0-9-]*[0-9][A-Za-z0-9-]*[+★†]?)?$"),
    "setFirst": re.compile(
        rf"^(?:\[[^\[\]]*\]|\([^()]*\)|\{{[^{{}}]*\}}|<[^<>]*>|{_DOTS}+)\s*(?=\S)"
    ),
    # Capacity, disciplines, title, clan and group, as the texts of VTES's deck builders have them.
    "crypt": re.compile(
        r"\s[0-9]{1,2}\s(?:[^0-9]+(?:[0-9] votes?\s[^0-9]+)?:(?:[0-9]{1,2}|ANY)"
        r"|\s*[A-Za-z]{3}(?: [A-Za-z]{3})*)$"
    ),
    "articleLast": re.compile(r"^(.+), (The|An?)$"),
    "articleFirst": re.compile(r"^(The|An?) (.+)$"),
    "section": re.compile(
        r"^(?:=.*=|--.*--|\*\S.*\*|\[[^\]]*\]|[^:]{1,40}:(?:\s*[0-9]{1,3})?"
        r"|[^0-9()\[\]:]{1,40}[(\[][0-9]{1,3}[)\]]:?)$"
    ),
    "fact": re.compile(r"^(?:[^0-9]{1,20}:\s+|[A-Z]{2,12}(?: [A-Z]{2,12})?:)\S|^[0-9]+ players?$"),
    # A label before a card, as `Commander:`; labels of names of decks and people, in lower case.
    "label": re.compile(r"^[^0-9:]{1,20}:[*_]*\s+(\S.*)$"),
    "factLabel": re.compile(
        r"^[^:]*(?:deck|talia|balí|колод|name|nazw|názov|název|назван|author|autor|автор|created"
        r"|player|gracz|hráč|игрок)[^:]*:\s*[^0-9\s]"
    ),
    # Labels before nothing but a card, in lower case.
    "cardLabel": re.compile(
        r"^(?:side ?board|commander|companion|partner|leader|hero|champion|identity|general|dowódca"
        r"|lider|velitel|veliteľ|vůdce|vodca|командир|лидер|герой)s?:"
    ),
    # Headings of parts, in lower case; what stands above the first part is about the deck.
    "firstPart": re.compile(
        r"^[-=*#\[( ]*(?:crypt|library|deck|main ?deck|talia|balíček|balíčok|kolody|колода)"
        r"(?:\s*[:(\[=*-].*|\s*[0-9]+.*)?$"
    ),
    "otherPart": re.compile(
        r"^[-=*#\[( ]*(?:about|commander|companion|side ?board|maybe ?board)(?:[^a-z]|$)"
    ),
    "tableCount": re.compile(
        r"^(?:count|qty|quantity|amount|copies|ilość|ilosc|liczba|sztuk|sztuki|szt|počet"
        r"|počet kus[oů]v?|pocet|kusy|množstvo|množství|ks|количество|кол-во|кол|число|шт"
        r"|anzahl|menge)\.?$"
    ),
    # Copies; in a table with sets, the number of a card in its set.
    "tableNumber": re.compile(r"^(?:number|#)$"),
    "tableVersion": re.compile(r"^(?:version|ver|wersja|verze|verzia|версия)\.?$"),
    "tableSet": re.compile(r"^(?:set|edition|expansion)(?: |$)"),
    "tableName": re.compile(
        r"^(?:name|card|card[ _]?name|nazwa|karta|nazwa karty|názov|názov karty|název|název karty"
        r"|название|название карты|имя|карта)$"
    ),
    "count": re.compile(rf"^(?:{_COUNT}\s*{_COUNT_WORD}?|[xX×]{_COUNT})$"),
    # A cell in quotes next to a comma or a semicolon, as spreadsheets save it.
    "quotedCell": re.compile(r'^\s*"(?:[^"]|"")*"\s*[,;]|[,;]"(?:[^"]|"")*"\s*(?:[,;]|$)'),
}
_LAST = ("crypt", "set", "printing")
# The next cell of a row, by the mark after it.
CELLS = {
    mark: re.compile(f' *"((?:[^"]|"")*)" *(?:{mark}|$)|([^{mark}]*)(?:{mark}|$)')
    for mark in "\t,;"
}


class Reading(NamedTuple):
    """A way to read a line: a number of copies of a name."""

    copies: int
    name: str


class DeckLine(NamedTuple):
    """A line of a deck list that may name a card; `number` counts from 1.

    `optional`: the line may as well be a heading or a fact about the deck; `rest`: a piece
    of the line before it that none of its readings has, such as the name of a set.
    """

    number: int
    text: str
    readings: tuple[Reading, ...]
    optional: bool
    rest: bool = False


def parse_deck(text: str) -> Iterator[DeckLine]:
    """Yield the lines of a deck list that may name a card.

    The lines of a list in XML are its cards. Raises KbError for a list that cannot be read.
    """
    lines, has_table = _lines(text)
    shown = [clean_typed(line.text)[:MAX_LENGTH].strip() for line in lines]
    about = range(0) if has_table else range(_first_part(shown))
    before = ""
    for at, line in enumerate(shown):
        if not _has_text(line):
            continue
        bare = PATTERNS["bullet"].sub("", line)
        label = PATTERNS["label"].match(bare)
        labelled = label[1] if label and not PATTERNS["factLabel"].match(bare.lower()) else ""
        if at in about and not (labelled or PATTERNS["countFirst"].match(line)):
            continue
        is_title = before == "About" and line.startswith("Name ")
        is_card = labelled and (
            PATTERNS["cardLabel"].match(bare.lower()) or PATTERNS["countFirst"].match(labelled)
        )
        is_fact = not is_card and (PATTERNS["section"].match(line) or PATTERNS["fact"].match(bare))
        optional, before = bool(is_title or is_fact), line
        number, written, row = lines[at]
        parts = (bare, labelled) if labelled else (bare,)
        others = (reading for part in parts for reading in _line_readings(part))
        cells = [] if row else _row(written)
        readings = row or [*_row_readings(cells), *others]
        yield DeckLine(number, line, tuple(dict.fromkeys(readings)), optional)
        listed = re.split("[,;]", labelled) if is_fact and not row else []
        pieces = listed if len(listed) > 1 else cells[2 if any(map(_count, cells[:2])) else 1 :]
        for piece in map(str.strip, pieces[:MAX_PIECES]):
            yield DeckLine(number, piece, tuple(_line_readings(piece)), optional=True, rest=True)


class _Line(NamedTuple):
    """A numbered line of a list, or a part of it with one card; its readings if it is a row."""

    number: int
    text: str
    row: list[Reading]


def _lines(text: str) -> tuple[list[_Line], bool]:
    """The lines of a list, and whether it has a table; several cards on a line stand apart."""
    if PATTERNS["json"].match(text.removeprefix("\ufeff")):
        raise KbError(JSON_LIST)
    written = as_lines(text).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    rows = [_without_bars(line) for line in written.split("\n")]
    tables = ((at, _table(rows[at:])) for at in range(min(len(rows), MAX_HEAD)))
    head, table = next((found for found in tables if found[1]), (-1, None))
    lines = []
    for at, line in enumerate(rows):
        row = table.readings(line) if table and at > head else []
        # A line that is not a row of the table, as `1 3,720 to 1`.
        is_row = any(char.isalpha() for reading in row for char in reading.name)
        if is_row:
            lines.append(_Line(at + 1, line, row))
        elif at != head:
            lines += [_Line(at + 1, part, []) for part in _parts(line)]
    if any(line.text for line in lines[MAX_LINES:]):
        raise KbError(LONG_LIST)
    return lines, table is not None


def _without_bars(line: str) -> str:
    """A row of Markdown, or a line with bars, as cells with tabs."""
    return line.lstrip().removeprefix("|").replace("|", "\t") if "|" in line else line


def _parts(line: str) -> list[str]:
    """The parts of a line that have a card each."""
    cells = _row(line)
    shape = "".join(map(_kind, cells))
    columns = PATTERNS["columns"].match(shape)
    if not columns:
        bare = PATTERNS["bullet"].sub("", line)
        return PATTERNS["nextCard"].split(line) if PATTERNS["manyCards"].match(bare) else [line]
    parts: list[str] = []
    for at, cell in enumerate(cells):
        if shape.startswith(columns[2] or columns[3], at):
            parts.append(cell)
        else:
            parts[-1] += f"\t{cell}"
    return parts


def _kind(cell: str) -> str:
    """The kind of a cell: number, text with a count first or last, set, other text, or blank."""
    if not any(map(str.isalnum, cell)):
        return " "
    if _count(cell):
        return "n"
    if PATTERNS["manyCards"].match(cell) and not PATTERNS["crypt"].match(f" {cell}"):
        return "f"
    if PATTERNS["countLast"].match(cell):
        return "l"
    return "s" if PATTERNS["setCell"].match(cell) else "t"


def _has_text(line: str) -> bool:
    return any(map(str.isalnum, line)) and not PATTERNS["comment"].match(line)


def _first_part(lines: Sequence[str]) -> int:
    """The place of the heading of a deck, crypt or library, if no other part comes before it.

    Tournament archives write event, place, date and remarks above it.
    """
    for at, line in enumerate(map(str.lower, lines)):
        if PATTERNS["firstPart"].match(line):
            return at
        if PATTERNS["otherPart"].match(line):
            break
    return 0


class _Table(NamedTuple):
    """A table with a head line: the mark between its cells, and the places of its columns."""

    mark: str
    name: int
    copies: int | None
    version: int | None

    def readings(self, line: str) -> list[Reading]:
        """The readings of a row; empty for a line without these cells."""
        cells = _cells(line, self.mark)
        if len(cells) < 2 or len(cells) <= self.name:
            return []
        has_copies = self.copies is not None and self.copies < len(cells)
        copies = _count(cells[self.copies or 0]) if has_copies else 0
        has_version = self.version is not None and any(cells[self.version : self.version + 1])
        version = f" ({cells[self.version or 0]})" if has_version else ""
        return [Reading(copies or 1, name) for name in _names(cells[self.name] + version)]


def _table(lines: Sequence[str]) -> _Table | None:
    """The table that begins with the first line; None if that is not a head."""
    for mark in CELLS:
        cells = [cell.lower() for cell in _cells(lines[0], mark)]
        names, counts, numbers, sets, versions = (
            [at for at, cell in enumerate(cells) if PATTERNS[column].match(cell)]
            for column in ("tableName", "tableCount", "tableNumber", "tableSet", "tableVersion")
        )
        # Columns of the same name are tables side by side.
        if not names or len(cells) < 2 or cells.count(cells[names[0]]) > 1:
            continue
        if numbers and not counts and not sets:
            below = [_cells(line, mark)[numbers[0] :] for line in lines[1:]]
            column = [number for cell, *_ in filter(None, below) if (number := _count(cell))]
            # Not the numbers of the rows.
            counts = numbers if column != [*range(1, len(column) + 1)] else []
        return _Table(mark, names[0], next(iter(counts), None), next(iter(versions), None))
    return None


def _cells(line: str, mark: str) -> list[str]:
    """The cells of a row, without the quotes of spreadsheets."""
    cells, rest = [], f"{line[:MAX_ROW]}{mark}"
    while match := CELLS[mark].match(rest) if rest else None:
        cell = match[2] if match[1] is None else match[1].replace('""', '"')
        cells.append(clean_typed(cell)[:MAX_LENGTH])
        rest = rest[match.end() :]
    return cells


def _count(cell: str) -> int:
    """The number of copies in a cell; 0 for another cell."""
    count = PATTERNS["count"].match(cell)
    return int(count[1] or count[2]) if count else 0


def _row(line: str) -> list[str]:
    """The cells of a row with tabs or quoted cells, versions behind names; empty for others."""
    bare = PATTERNS["bullet"].sub("", line)
    marks = "\t" if "\t" in bare.strip() else ",;" if PATTERNS["quotedCell"].search(bare) else ""
    row: list[str] = []
    for cell in max((_cells(bare, mark) for mark in marks), key=len, default=[]):
        if row and any(map(str.isalpha, row[-1])) and PATTERNS["versionCell"].match(cell):
            row[-1] += f" ({cell})"
        elif row or any(map(str.isalnum, cell)):
            row.append(cell)
    return row


def _row_readings(cells: Sequence[str]) -> list[Reading]:
    """The readings of a row without a head line."""
    if not cells:
        return []
    first, second = map(_count, (*cells, "")[:2])
    if first and len(cells) > 1:
        return [Reading(first, name) for name in _names(cells[1])]
    counted = [Reading(second, name) for name in _names(cells[0])] if second else []
    return [*counted, *_line_readings(cells[0])]


def _line_readings(line: str) -> list[Reading]:
    """The readings of a line with and without its remark, and of the text between its ends."""
    bare = PATTERNS["remark"].sub("", line)
    whole = [reading for text in dict.fromkeys((line, bare)) for reading in _readings(text)]
    ends = [*_bare_names(bare)]
    return [*whole, *(_readings(ends[-1]) if len(ends) > 1 else ())]


def _readings(line: str) -> Iterator[Reading]:
    """Yield a line with a count before or after the name, then as a name alone."""
    first = PATTERNS["countFirst"].match(line)
    last = PATTERNS["countLast"].match(line)
    if first:
        count = int(first[1] or first[2])
        yield from (Reading(count, name) for name in _names(first[3]))
    count = int(last[2] or last[3]) if last else 0
    counted = [Reading(count, name) for name in _names(last[1])] if last else []
    sure = 1 if PATTERNS["numberLast"].search(line) else len(counted)
    yield from counted[:sure]
    yield from (Reading(1, name) for name in _names(line))
    yield from counted[sure:]


def _names(text: str) -> Iterator[str]:
    """Yield the possible names in a text, each also with its article at the other end."""
    for name in _bare_names(text):
        yield name
        article = PATTERNS["articleLast"].match(name) or PATTERNS["articleFirst"].match(name)
        if article:
            yield f"{article[2]} {article[1]}"


def _bare_names(text: str) -> Iterator[str]:
    """Yield a name as written, then without sets before it, then also without what follows it.

    Facts of the card, sets and marks are cut until nothing changes.
    """
    yield text
    bare = text
    while shorter := _cut(bare, "setFirst"):
        bare = shorter
    if bare != text:
        yield bare
    cuts, shorter = 0, _cut(bare, *_LAST)
    while shorter:
        cuts, bare, shorter = cuts + 1, shorter, _cut(shorter, *_LAST)
        if cuts <= MAX_SETS or not shorter:
            yield bare


def _cut(text: str, *kinds: str) -> str:
    """A text without what stands at one of its ends; empty if there is nothing to cut."""
    for kind in kinds:
        shorter = PATTERNS[kind].sub("", text).strip()
        if shorter != text and any(map(str.isalnum, shorter)):
            return shorter
    return ""


# What may stand before a document in XML.
_BLANK = "\ufeff \r\n\t"
_BARE_AND = re.compile(r"&(?!#?\w+;)")
BROKEN = "The list is XML that cannot be read: it is cut off or damaged, or has a DTD."
JSON_LIST = "The list is JSON. Paste it as text instead, with a card on each line."
LONG_LIST = "The list has more than 2,000 lines. Paste it in parts."


def as_lines(text: str) -> str:
    """Return the cards of a deck list in XML, one a line; any other text as it is.

    Cockatrice writes .cod files, MTGO and LackeyCCG .dek files, OCTGN .o8d files. Raises
    KbError for a text that is declared as XML.
    """
    document = _BARE_AND.sub("&amp;", text.lstrip(_BLANK))
    if not document.startswith("<"):
        return text
    try:
        # The text is decoded already, whatever its declaration says.
        parser = ElementTree.XMLParser(encoding="utf-8")
        data = document.encode("utf-8", "replace")
        # Only a DTD can declare entities.
        root = None if "<!DOCTYPE" in document else ElementTree.fromstring(data, parser)
    except ElementTree.ParseError as error:
        if document.startswith("<?xml"):
            raise KbError(f"{BROKEN} ({error})") from None
        return text
    if root is None and document.startswith("<?xml"):
        raise KbError(BROKEN)
    lines = [] if root is None else filter(None, map(_card_line, root.iter()))
    return "\n".join(lines) or text


def _card_line(element: ElementTree.Element) -> str:
    """Return the line of a card; empty for other elements.

    `<card number="2" name="..."/>`, `<Cards Quantity="2" Name="..."/>`, `<card qty="2">...</card>`
    and `<card><name>...</name></card>`.
    """
    if _tag(element) not in ("card", "cards"):
        return ""
    given = {name.lower(): value for name, value in element.items()}
    count = given.get("number") or given.get("quantity") or given.get("qty") or ""
    inner = next((child for child in element if _tag(child) == "name"), None)
    if inner is not None:
        count, name = "1", inner.text
    else:
        name = given.get("name", element.text if count else "")
    return " ".join(f"{count or 1} {name}".split()) if name else ""


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2].lower()
