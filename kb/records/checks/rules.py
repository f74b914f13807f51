"""Rules across records. Each check is a generator of Problem; none stops another."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType

from kb.core.problems import MAX_LISTED, Problem
from kb.records.checks.content import check_content
from kb.records.checks.dates import check_dates
from kb.records.checks.diagrams import check_diagrams
from kb.records.fields import HEADER_FIELDS, Difference, Reference
from kb.records.marks import broken_marks, find_marks
from kb.records.model import Game, Ruling
from kb.records.question_file import NAME
from kb.records.questions import AskedQuestion, question_key

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
TODO = "TODO"
_TODO_LINE = re.compile(rf"^{TODO}\b", re.MULTILINE)
VERSION = re.compile(r"[A-Z]{1,2}")
# A problem names at most so many rulings of a cycle.
_MAX_CYCLE_SHOWN = 20
# A problem lists what may be named if it is no more than this.
_MAX_KNOWN_SHOWN = 10

Rulings = Mapping[str, Ruling]
Unread = Mapping[str, str]


def check_library(
    games: Mapping[str, Game], rulings: Rulings, unread: Unread = MappingProxyType({})
) -> Iterator[Problem]:
    """Yield every problem between the records of a library: `rulings` by `game/id`.

    `unread`: the paths of rulings that cannot be read, by key.
    """
    known = rulings.keys() | unread.keys()
    for game in games.values():
        yield from check_sources(game)
        yield from check_term_languages(game)
        yield from check_term_names(game)
    near = NameSuggester()
    for ruling in rulings.values():
        owner = games.get(ruling.game)
        if owner is None:
            message = f"the game {ruling.game!r} has no readable game.yaml"
            cause = f"{ruling.path.rsplit('/', 2)[0]}/game.yaml"
            yield Problem(ruling.path, 1, message, cause)
            continue
        yield from check_ruling(ruling, owner, near)
        yield from check_relations(ruling, rulings, unread, near)
    yield from check_statuses(games, rulings, unread)
    yield from check_dates(games, rulings)
    yield from check_cycles(rulings, "supersedes")
    yield from check_cycles(rulings, "example_of")
    yield from check_former_ids(rulings)
    for game in games.values():
        yield from check_questions(game, rulings, known)
        yield from check_diagrams(game, known)
    strict = {key: game for key, game in games.items() if game.header.checks == "strict"}
    if strict:
        yield from check_content(strict, rulings)


def check_ruling(ruling: Ruling, game: Game, near: NameSuggester) -> Iterator[Problem]:
    """Yield the problems of a ruling's cards, topics, citations and texts."""
    yield from check_references(ruling, game, near)
    yield from check_folder(ruling)
    yield from check_text_languages(ruling, game)
    yield from check_cards(ruling, game, near)
    yield from check_citations(ruling, game, near)
    yield from check_no_email(ruling)
    yield from check_no_todo(ruling)


def check_sources(game: Game) -> Iterator[Problem]:
    """A source overrides listed documents, lists a provision once, and titles none but these."""
    for source in game.sources:
        for index, other in enumerate(source.overrides):
            if other not in game.sources_by_id:
                whole = source.lines.get(("overrides",), source.line)
                line = source.lines.get(("overrides", index), whole)
                message = f"{source.id}: overrides: {other} is not in sources.yaml"
                yield game.problem("sources.yaml", message, line)
        listed: set[str] = set()
        for index, provision in enumerate(source.provisions):
            if provision in listed:
                line = source.lines.get(("provisions", index), source.line)
                message = f"{source.id}: provisions: {provision} is listed twice"
                yield game.problem("sources.yaml", message, line)
            listed.add(provision)
        for provision in sorted(source.provision_titles.keys() - listed):
            line = source.lines.get(("provision-titles", provision), source.line)
            message = f"{source.id}: provision-titles: {provision} is not among its provisions"
            yield game.problem("sources.yaml", message, line)


def check_term_languages(game: Game) -> Iterator[Problem]:
    """Terms use the game's languages and topics; a topic is listed once."""
    for term in game.terms:
        for lang in {*term.names, *term.meaning, *term.also} - set(game.header.languages):
            places = ((lang,), ("meaning", lang), ("also", lang))
            line = next((term.lines[at] for at in places if at in term.lines), term.line)
            message = f"{term.id}: {lang} is not one of the game's languages"
            yield game.problem("terms.yaml", message, line)
        for topic in term.topics:
            if topic not in game.topics:
                line = term.lines.get(("topics",), term.line)
                message = f"{term.id}: topics: {topic} is not in game.yaml"
                yield game.problem("terms.yaml", message, line)
    counts = Counter(topic.id for topic in game.header.topics)
    for topic_id in (topic_id for topic_id, count in counts.items() if count > 1):
        yield game.problem("game.yaml", f"topics: {topic_id} is listed twice")


def check_term_names(game: Game) -> Iterator[Problem]:
    """A name in a language is of one term; one that only finds it is given once."""
    owners: dict[tuple[str, str], str] = {}
    for kind in ("names", "also"):
        for term in game.terms:
            for lang, names in getattr(term, kind).items():
                before = (lang,) if kind == "names" else (kind, lang)
                for index, name in enumerate(names):
                    key = (lang, question_key(name))
                    owner = owners.get(key, "")
                    if owner and (kind == "also" or owner != term.id):
                        line = term.lines.get((*before, index), term.lines.get(before, term.line))
                        message = f"{term.id}: {before[0]}: {name!r} is a name of {owner} already"
                        yield game.problem("terms.yaml", message, line)
                    owners.setdefault(key, term.id)


def check_references(ruling: Ruling, game: Game, near: NameSuggester) -> Iterator[Problem]:
    """Topics, rule sets, editions and documents that the header names are the game's."""
    known: dict[Reference, tuple[Collection[str], str, str]] = {
        "topic": (game.topics, "a topic of ", "game.yaml"),
        "rule": ([entry.id for entry in game.header.rule_sets], "a rule set of ", "game.yaml"),
        "edition": ([entry.id for entry in game.header.editions], "an edition of ", "game.yaml"),
        "document": (game.sources_by_id, "in ", "sources.yaml"),
    }
    for field in HEADER_FIELDS:
        names, what, file = known.get(field.of, ((), "", ""))
        for index, value in enumerate(field.values(ruling.header) if file else ()):
            if value not in names:
                hint = near(value, names)
                if not hint and len(names) <= _MAX_KNOWN_SHOWN:
                    hint = f" ({', '.join(names) or 'none'})"
                message = f"{field.key}: {value} is not {what}{file}{hint}"
                problem = ruling.problem(message, field.key, index)
                yield problem._replace(cause=game.file(file))


def check_folder(ruling: Ruling) -> Iterator[Problem]:
    """The folder of a ruling is one of its topics."""
    if not ruling.header.topics:
        yield ruling.problem("topics: empty; name at least one", "topics")
    elif ruling.folder not in ruling.header.topics:
        message = f"topics: the file lies in {ruling.folder}/, which is not among its topics"
        yield ruling.problem(message, "topics")


def check_text_languages(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """The original is in the game's language, every other text in one of its languages."""
    for text in ruling.texts:
        if text.lang not in game.header.languages:
            known = ", ".join(game.header.languages)
            message = f"{text.lang} is not one of the game's languages ({known})"
            yield Problem(ruling.path, text.line, message)
    line = ruling.original.line
    if not ruling.text(game.language):
        message = f"no section in {game.language}, the game's language"
        yield Problem(ruling.path, line, message)
    elif ruling.original.lang != game.language:
        message = f"the first section is the original and must be in {game.language}"
        yield Problem(ruling.path, line, message)


def check_cards(ruling: Ruling, game: Game, near: NameSuggester) -> Iterator[Problem]:
    """Every card in the header or in a mark is in cards.tsv and is one card or one name."""
    cause = game.file("cards.tsv")
    for index, label in enumerate(ruling.header.about):
        wrong = _card_error(label, game, near)
        if wrong:
            yield ruling.problem(f"about: {wrong}", "about", index)._replace(cause=cause)
    for text in ruling.texts:
        for mark in text.marks:
            wrong = _card_error(mark.label, game, near) if mark.is_card else ""
            if wrong:
                yield Problem(ruling.path, text.line_at(mark.start), wrong, cause)
        for start in broken_marks(text.body):
            message = (
                "a card mark that is not whole; write [[Card]] or [[Card|as it stands]] on one line"
            )
            yield Problem(ruling.path, text.line_at(start), message)
        if find_marks(text.title) or any(broken_marks(text.title)):
            message = "a card mark in a title; titles are plain text"
            yield Problem(ruling.path, text.line, message)


def _card_error(label: str, game: Game, near: NameSuggester) -> str:
    """Say why a label does not name one card, or all versions of one; empty if it does."""
    cards = game.cards_named(label)
    if not cards:
        return f"{label!r} is not in cards.tsv{near(label, game.card_labels)}"
    if len(cards) > 1 and not all(VERSION.fullmatch(card.version) for card in cards):
        labels = ", ".join(card.label for card in cards)
        return f"{label!r} is the name of {len(cards)} cards; write one of {labels}"
    return ""


def check_citations(ruling: Ruling, game: Game, near: NameSuggester) -> Iterator[Problem]:
    """Sources and their provisions are listed in sources.yaml."""
    cause = game.file("sources.yaml")
    for index, citation in enumerate(ruling.header.sources):
        source = game.sources_by_id.get(citation.source)
        if source is None:
            hint = near(citation.source, game.sources_by_id)
            message = f"sources: {citation.source} is not in sources.yaml{hint}"
            yield ruling.problem(message, "sources", index)._replace(cause=cause)
        elif citation.provision not in source.listed:
            hint = near(citation.provision, source.provisions)
            message = f"sources: {citation} is not a provision of that document{hint}"
            yield ruling.problem(message, "sources", index)
    if len(set(ruling.header.sources)) < len(ruling.header.sources):
        yield ruling.problem("sources: a citation is given twice", "sources")


def check_relations(
    ruling: Ruling, rulings: Rulings, unread: Unread, near: NameSuggester
) -> Iterator[Problem]:
    """The header names other rulings of the same game."""
    for field in HEADER_FIELDS:
        for index, value in enumerate(field.values(ruling.header) if field.of == "ruling" else ()):
            other = value.id if isinstance(value, Difference) else value
            key = f"{ruling.game}/{other}"
            if other == ruling.id:
                message = f"{field.key}: a ruling cannot name itself"
                yield ruling.problem(message, field.key, index)
            elif key not in rulings:
                ids = (each.id for each in rulings.values() if each.game == ruling.game)
                message = f"{field.key}: no ruling {other} in {ruling.game}{near(other, ids)}"
                problem = ruling.problem(message, field.key, index)
                yield problem._replace(cause=unread.get(key, ""))


def check_statuses(
    games: Mapping[str, Game], rulings: Rulings, unread: Unread
) -> Iterator[Problem]:
    """A ruling that another supersedes is not current, and a superseded one has a successor.

    Which may be a ruling that cannot be read.
    """
    causes = {key.partition("/")[0]: path for key, path in unread.items()}
    successors = {
        f"{ruling.game}/{other}": ruling
        for ruling in rulings.values()
        for other in ruling.header.supersedes
    }
    for key, ruling in rulings.items():
        status, successor = ruling.header.status, successors.get(key)
        if ruling.game not in games:
            continue
        if successor and status == "current":
            message = (
                f"status: current, but {successor.id} supersedes it; write superseded or reversed"
            )
            yield ruling.problem(message, "status")
        if status == "superseded" and not successor:
            message = "status: superseded, but no ruling names it under supersedes"
            cause = causes.get(ruling.game, "")
            yield ruling.problem(message, "status")._replace(cause=cause)


def check_no_email(ruling: Ruling) -> Iterator[Problem]:
    """No personal data: an e-mail address does not belong in a published ruling."""
    for text in ruling.texts:
        # The pattern is tried at every letter, and hardly any text has an `@`.
        for match in _EMAIL.finditer(text.body) if "@" in text.body else ():
            message = "an e-mail address; personal data is not published"
            yield Problem(ruling.path, text.line_at(match.start()), message)


def check_no_todo(ruling: Ruling) -> Iterator[Problem]:
    """Every placeholder of `kb new` has been replaced."""
    for text in ruling.texts:
        if text.title.startswith(TODO):
            yield Problem(ruling.path, text.line, f"the title is still {TODO}")
        for match in _TODO_LINE.finditer(text.body):
            line = text.line_at(match.start())
            yield Problem(ruling.path, line, f"still {TODO}: write the text")


def check_cycles(rulings: Rulings, field: str) -> Iterator[Problem]:
    """No ruling leads back to itself through a relation.

    Reported once a cycle, at its first ruling by id.
    """
    key = field.replace("_", "-")
    done: set[str] = set()
    cycles = 0
    for start in sorted(at for at, ruling in rulings.items() if getattr(ruling.header, field)):
        path: list[str] = []
        inside: set[str] = set()
        stack = [(start, 0)]
        while stack:
            here, depth = stack.pop()
            inside.difference_update(path[depth:])
            del path[depth:]
            if here in inside:
                cycles += 1
                # Showing thousands of long cycles takes the square of their length.
                loop = path[path.index(here) if cycles <= MAX_LISTED else -1 :]
                names = [rulings[at].id for at in loop[:_MAX_CYCLE_SHOWN]]
                names += ["..."] * (len(loop) > _MAX_CYCLE_SHOWN)
                message = f"{key}: a cycle: {' -> '.join([*names, names[0]])}"
                yield rulings[min(loop)].problem(message, key)
                continue
            if here in done or here not in rulings:
                continue
            done.add(here)
            path.append(here)
            inside.add(here)
            ruling = rulings[here]
            others = (other for other in getattr(ruling.header, field) if other != ruling.id)
            stack += [(f"{ruling.game}/{other}", depth + 1) for other in others]


def check_former_ids(rulings: Rulings) -> Iterator[Problem]:
    """A former id is not in use, and leads to one ruling."""
    owners: dict[str, str] = {}
    for ruling in rulings.values():
        for index, former in enumerate(ruling.header.formerly):
            key = f"{ruling.game}/{former}"
            if key in rulings:
                path = rulings[key].path
                message = f"formerly: {former} is the id of {path}; ids are never reused"
                yield ruling.problem(message, "formerly", index)
            elif key in owners:
                message = f"formerly: {former} leads to {owners[key]} already"
                yield ruling.problem(message, "formerly", index)
            owners.setdefault(key, ruling.path)


def check_questions(game: Game, rulings: Rulings, known: Collection[str]) -> Iterator[Problem]:
    """Questions are of rulings, in the game's languages; each leads to one ruling.

    Of two that are the same the later one is reported, those of questions.tsv after sections.
    """
    near = NameSuggester()
    ids = {key.partition("/")[2] for key in known if key.startswith(f"{game.id}/")}
    places: dict[str, tuple[str, str]] = {}
    for question, problem_at in _questions(game, rulings):
        if question.ruling not in ids:
            yield problem_at(
                f"no ruling {question.ruling} in {game.id}{near(question.ruling, ids)}"
            )
        if question.lang not in game.header.languages:
            languages = ", ".join(game.header.languages)
            yield problem_at(f"{question.lang} is not one of the game's languages ({languages})")
        at = problem_at("")
        place = (question.ruling, f"{at.path}:{at.line}")
        first = places.setdefault(question_key(question.text), place)
        if first[0] != question.ruling:
            yield problem_at(f"{first[1]} asks the same; a question leads to one ruling")


def _questions(
    game: Game, rulings: Rulings
) -> Iterator[tuple[AskedQuestion, Callable[[str], Problem]]]:
    """Yield the questions of a game, each with what makes a problem at its place."""
    for _, ruling in sorted(rulings.items()):
        for lang, texts in ruling.asked_as.items() if ruling.game == game.id else ():
            for index, text in enumerate(texts):
                place = ("asked-as", lang, index)
                if place in ruling.lines:
                    question = AskedQuestion(ruling.id, lang, text, ruling.line(*place))
                    yield question, partial(_asked_as_problem, ruling, place)
    for question in game.questions:
        yield question, partial(game.problem, NAME, line=question.line)


def _asked_as_problem(ruling: Ruling, place: tuple[str | int, ...], message: str) -> Problem:
    return ruling.problem(f"asked-as: {message}", *place)


class NameSuggester:
    """Suggests the known name that a wrong one may stand for.

    Where a catalogue is missing, every name is wrong. So it stops after a number of comparisons
    that takes some seconds.
    """

    def __init__(self) -> None:
        self.left = 500_000

    def __call__(self, word: str, known: Iterable[str]) -> str:
        """Return what follows a problem's message; empty when nothing is near."""
        names = list(known) if self.left > 0 else []
        self.left -= len(names)
        close = difflib.get_close_matches(word, names, 2, 0.75)
        return f"; did you mean {' or '.join(close)}?" if close else ""
