"""Rules across records. Each check is a generator of Problem; none stops another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from kb.core.problems import MAX_LISTED, Problem
from kb.records.checks.content import check_content, check_ruling_content
from kb.records.checks.dates import check_dates, check_header
from kb.records.marks import broken_marks, find_marks
from kb.records.model import Game, Ruling, Text
from kb.records.questions import question_key

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
TODO = "TODO"
_TODO_LINE = re.compile(rf"^{TODO}\b", re.MULTILINE)
VERSION = re.compile(r"[A-Z]{1,2}")
# So many rulings of a cycle are named.
_MAX_CYCLE_SHOWN = 20

Rulings = Mapping[str, Ruling]


def check_library(
    games: Mapping[str, Game],
    rulings: Rulings,
    settled: Collection[str] = (),
    asked: Collection[str] = (),
) -> Iterator[Problem]:
    """Every problem between the records of a library: `rulings` by `game/id`.

    Those that are `settled` are known to have none by themselves and with their game; they are
    compared with the others only. No two of those that are `asked` have the same question.
    """
    for game in games.values():
        yield from check_sources(game)
        yield from check_term_languages(game)
    near = NameSuggester()
    replaced = {
        f"{one.game}/{other}": one for one in rulings.values() for other in one.header.supersedes
    }
    for at, ruling in rulings.items():
        owner = games.get(ruling.game)
        if owner is None:
            yield Problem(ruling.path, 1, f"the game {ruling.game!r} has no readable game.yaml")
            continue
        if at not in settled:
            yield from _check_texts(ruling, owner, near)
        head = ruling.header
        if head.supersedes or head.related or head.example_of:
            yield from check_relations(ruling, rulings, near)
        if head.status == "superseded" or at in replaced:
            yield from check_status(ruling, replaced)
    yield from check_dates(games, rulings, settled)
    yield from check_cycles(rulings, "supersedes")
    yield from check_cycles(rulings, "example_of")
    yield from check_former_ids(rulings)
    if any(ruling.asked_as and key not in asked for key, ruling in rulings.items()):
        yield from check_questions_unique(rulings)
    strict = {key: game for key, game in games.items() if game.header.checks == "strict"}
    if strict:
        yield from check_content(strict, rulings, settled)


def check_rulings(games: Mapping[str, Game], rulings: Iterable[Ruling]) -> Iterator[Problem]:
    """Every problem that some rulings have by themselves and with their game.

    For those that differ in their texts alone from rulings that had no problem with others.
    """
    near = NameSuggester()
    for ruling in rulings:
        game = games[ruling.game]
        yield from _check_texts(ruling, game, near)
        yield from check_header(ruling, game)
        if game.header.checks == "strict":
            yield from check_ruling_content(game, [ruling])


def _check_texts(ruling: Ruling, game: Game, near: NameSuggester) -> Iterator[Problem]:
    yield from check_topics(ruling, game, near)
    yield from check_text_languages(ruling, game)
    yield from check_cards(ruling, game, near)
    yield from check_citations(ruling, game, near)
    yield from check_no_email(ruling)
    yield from check_no_todo(ruling)
    yield from check_question_languages(ruling, game)


def check_sources(game: Game) -> Iterator[Problem]:
    """A source overrides listed documents, and lists a provision once."""
    for source in game.sources:
        for index, other in enumerate(source.overrides):
            if other not in game.sources_by_id:
                line = source.lines.get(
                    ("overrides", index), source.lines.get(("overrides",), source.line)
                )
                yield Problem(
                    game.file("sources.yaml"),
                    line,
                    f"{source.id}: overrides: {other} is not in sources.yaml",
                )
        listed: set[str] = set()
        for index, provision in enumerate(source.provisions):
            if provision in listed:
                line = source.lines.get(("provisions", index), source.line)
                yield Problem(
                    game.file("sources.yaml"),
                    line,
                    f"{source.id}: provisions: {provision} is listed twice",
                )
            listed.add(provision)


def check_term_languages(game: Game) -> Iterator[Problem]:
    """Terms and topics use the game's languages."""
    for term in game.terms:
        for lang in {*term.names, *term.meaning} - set(game.header.languages):
            line = term.lines.get((lang,), term.lines.get(("meaning", lang), term.line))
            yield Problem(
                game.file("terms.yaml"),
                line,
                f"{term.id}: {lang} is not one of the game's languages",
            )
        for topic in term.topics:
            if topic not in game.topics:
                yield Problem(
                    game.file("terms.yaml"),
                    term.lines.get(("topics",), term.line),
                    f"{term.id}: topics: {topic} is not in game.yaml",
                )
    for topic_id in (
        one for one, many in Counter(topic.id for topic in game.header.topics).items() if many > 1
    ):
        yield Problem(game.file("game.yaml"), 1, f"topics: {topic_id} is listed twice")


def check_topics(ruling: Ruling, game: Game, near: NameSuggester) -> Iterator[Problem]:
    """Topics are the game's, and the folder is one of them."""
    for index, topic in enumerate(ruling.header.topics):
        if topic not in game.topics:
            yield Problem(
                ruling.path,
                ruling.line("topics", index),
                f"topics: {topic} is not a topic of game.yaml{near(topic, game.topics)}",
            )
    if not ruling.header.topics:
        yield Problem(ruling.path, ruling.line("topics"), "topics: empty; name at least one")
    elif ruling.folder not in ruling.header.topics:
        yield Problem(
            ruling.path,
            ruling.line("topics"),
            f"topics: the file lies in {ruling.folder}/, which is not among its topics",
        )


def check_text_languages(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """The original is in the game's language, every other text in one of its languages."""
    for text in ruling.texts:
        if text.lang not in game.header.languages:
            yield Problem(
                ruling.path,
                text.line,
                f"{text.lang} is not one of the game's languages"
                f" ({', '.join(game.header.languages)})",
            )
    if game.language not in {text.lang for text in ruling.texts}:
        yield Problem(
            ruling.path, ruling.original.line, f"no section in {game.language}, the game's language"
        )
    elif ruling.original.lang != game.language:
        yield Problem(
            ruling.path,
            ruling.original.line,
            f"the first section is the original and must be in {game.language}",
        )


def check_cards(ruling: Ruling, game: Game, near: NameSuggester) -> Iterator[Problem]:
    """Every card in the header or in a mark is in cards.tsv and is one card or one name."""
    for index, label in enumerate(ruling.header.about):
        yield from _check_card(
            label, game, ruling.path, ruling.line("about", index), "about: ", near
        )
    for text in ruling.texts:
        if "[[" in text.body or "]]" in text.body:
            for mark in text.marks:
                if mark.is_card:
                    line = _line(text, mark.start)
                    yield from _check_card(mark.label, game, ruling.path, line, "", near)
            for start in broken_marks(text.body):
                yield Problem(
                    ruling.path,
                    _line(text, start),
                    "a card mark that is not whole; write [[Card]] or [[Card|as it stands]] on one"
                    " line",
                )
        if ("[[" in text.title or "]]" in text.title) and (
            find_marks(text.title) or any(broken_marks(text.title))
        ):
            yield Problem(ruling.path, text.line, "a card mark in a title; titles are plain text")


def _line(text: Text, offset: int) -> int:
    return text.body_line + text.body.count("\n", 0, offset)


def _check_card(
    label: str, game: Game, path: str, line: int, where: str, near: NameSuggester
) -> Iterator[Problem]:
    cards = game.cards_named(label)
    if not cards:
        yield Problem(
            path, line, f"{where}{label!r} is not in cards.tsv{near(label, game.card_labels)}"
        )
    elif len(cards) > 1 and not all(VERSION.fullmatch(card.version) for card in cards):
        yield Problem(
            path,
            line,
            f"{where}{label!r} is the name of {len(cards)} cards; write one of"
            f" {', '.join(card.label for card in cards)}",
        )


def check_citations(ruling: Ruling, game: Game, near: NameSuggester) -> Iterator[Problem]:
    """Sources, their provisions and overridden rulebooks are listed in sources.yaml."""
    for index, citation in enumerate(ruling.header.sources):
        line = ruling.line("sources", index)
        source = game.sources_by_id.get(citation.source)
        if source is None:
            yield Problem(
                ruling.path,
                line,
                f"sources: {citation.source} is not in"
                f" sources.yaml{near(citation.source, game.sources_by_id)}",
            )
        elif citation.provision not in source.listed:
            yield Problem(
                ruling.path,
                line,
                f"sources: {citation} is not a provision of that"
                f" document{near(citation.provision, source.provisions)}",
            )
    if len(set(ruling.header.sources)) < len(ruling.header.sources):
        yield Problem(ruling.path, ruling.line("sources"), "sources: a citation is given twice")
    for index, other in enumerate(ruling.header.overrides):
        if other not in game.sources_by_id:
            yield Problem(
                ruling.path,
                ruling.line("overrides", index),
                f"overrides: {other} is not in sources.yaml",
            )


RELATIONS = (("supersedes", "supersedes"), ("related", "related"), ("example_of", "example-of"))


def check_relations(ruling: Ruling, rulings: Rulings, near: NameSuggester) -> Iterator[Problem]:
    """Relations name other rulings of the same game."""
    for field, key in RELATIONS:
        for index, other in enumerate(getattr(ruling.header, field)):
            line = ruling.line(key, index)
            if other == ruling.id:
                yield Problem(ruling.path, line, f"{key}: a ruling cannot name itself")
            elif f"{ruling.game}/{other}" not in rulings:
                ids = (one.id for one in rulings.values() if one.game == ruling.game)
                yield Problem(
                    ruling.path,
                    line,
                    f"{key}: no ruling {other} in {ruling.game}{near(other, ids)}",
                )


def check_status(ruling: Ruling, replaced: Mapping[str, Ruling]) -> Iterator[Problem]:
    """What another ruling supersedes is not current, and a superseded one has a successor."""
    status = ruling.header.status
    successor = replaced.get(ruling.key)
    if successor and status == "current":
        yield Problem(
            ruling.path,
            ruling.line("status"),
            f"status: current, but {successor.id} supersedes it; write superseded or reversed",
        )
    if status == "superseded" and not successor:
        yield Problem(
            ruling.path,
            ruling.line("status"),
            "status: superseded, but no ruling names it under supersedes",
        )


def check_no_email(ruling: Ruling) -> Iterator[Problem]:
    """No personal data: an e-mail address does not belong in a published ruling."""
    for text in ruling.texts:
        # Looking for an address tries every letter of a text: most have not even its sign.
        for match in _EMAIL.finditer(text.body) if "@" in text.body else ():
            yield Problem(
                ruling.path,
                _line(text, match.start()),
                "an e-mail address; personal data is not published",
            )


def check_no_todo(ruling: Ruling) -> Iterator[Problem]:
    """What `kb new` wrote to be filled in has been filled in."""
    for text in ruling.texts:
        if text.title.startswith(TODO):
            yield Problem(ruling.path, text.line, f"the title is still {TODO}")
        for match in _TODO_LINE.finditer(text.body):
            yield Problem(ruling.path, _line(text, match.start()), f"still {TODO}: write the text")


def check_cycles(rulings: Rulings, field: str) -> Iterator[Problem]:
    """No ruling leads back to itself through a relation.

    Reported once a cycle, at its first ruling by id.
    """
    key = field.replace("_", "-")
    done: set[str] = set()
    cycles = 0
    for start in sorted(at for at, one in rulings.items() if getattr(one.header, field)):
        path: list[str] = []
        inside: set[str] = set()
        stack = [(start, 0)]
        while stack:
            here, depth = stack.pop()
            inside.difference_update(path[depth:])
            del path[depth:]
            if here in inside:
                cycles += 1
                # Thousands of long cycles are one fault, and looking at each takes the square.
                start_of_loop = path.index(here) if cycles <= MAX_LISTED else -1
                loop = path[start_of_loop:]
                first = rulings[min(loop)]
                names = [rulings[one].id for one in loop[:_MAX_CYCLE_SHOWN]] + ["..."] * (
                    len(loop) > _MAX_CYCLE_SHOWN
                )
                yield Problem(
                    first.path,
                    first.line(key),
                    f"{key}: a cycle: {' -> '.join([*names, names[0]])}",
                )
                continue
            if here in done or here not in rulings:
                continue
            done.add(here)
            path.append(here)
            inside.add(here)
            ruling = rulings[here]
            stack += [
                (f"{ruling.game}/{other}", depth + 1)
                for other in getattr(ruling.header, field)
                if other != ruling.id
            ]


def check_former_ids(rulings: Rulings) -> Iterator[Problem]:
    """A former id is not in use, and leads to one ruling."""
    owners: dict[str, str] = {}
    for ruling in rulings.values():
        for index, former in enumerate(ruling.header.formerly):
            key = f"{ruling.game}/{former}"
            line = ruling.line("formerly", index)
            if key in rulings:
                yield Problem(
                    ruling.path,
                    line,
                    f"formerly: {former} is the id of {rulings[key].path}; ids are never reused",
                )
            elif key in owners:
                yield Problem(
                    ruling.path, line, f"formerly: {former} leads to {owners[key]} already"
                )
            owners.setdefault(key, ruling.path)


def check_question_languages(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """Questions are in the game's languages."""
    for lang in ruling.asked_as:
        if lang not in game.header.languages:
            known = ", ".join(game.header.languages)
            message = f"asked-as: {lang} is not one of the game's languages ({known})"
            yield Problem(ruling.path, ruling.line("asked-as", lang), message)


def check_questions_unique(rulings: Rulings) -> Iterator[Problem]:
    """A question leads to one ruling of a game; reported at the later of two, by id."""
    first: dict[tuple[str, str], tuple[Ruling, str, int]] = {}
    for key in sorted(key for key, ruling in rulings.items() if ruling.asked_as):
        ruling = rulings[key]
        for lang, questions in ruling.asked_as.items():
            for index, question in enumerate(questions):
                key_of_question = (ruling.game, question_key(question))
                other, of, number = first.setdefault(key_of_question, (ruling, lang, index))
                if other is not ruling:
                    line = other.line("asked-as", of, number)
                    message = (
                        f"asked-as: {other.path}:{line} asks the same;"
                        " a question leads to one ruling"
                    )
                    yield Problem(ruling.path, ruling.line("asked-as", lang, index), message)


class NameSuggester:
    """Tells which known name a wrong one may stand for.

    Where a catalogue is missing, every name is wrong: after so many comparisons (some seconds) no
    more are made.
    """

    def __init__(self) -> None:
        self.left = 500_000

    def __call__(self, word: str, known: Iterable[str]) -> str:
        """What follows a problem's message; empty when nothing is near."""
        import difflib

        names = list(known) if self.left > 0 else []
        self.left -= len(names)
        close = difflib.get_close_matches(word, names, 2, 0.75)
        return f"; did you mean {' or '.join(close)}?" if close else ""
