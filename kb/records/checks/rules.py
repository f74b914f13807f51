"""Rules across records. Each check is a generator of Problem, and all of them run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType

from kb.core.problems import Problem
from kb.language import language_hint
from kb.language.registry import other_language
from kb.records.checks.dates import check_dates
from kb.records.checks.diagrams import check_diagrams
from kb.records.checks.references import (
    Rulings,
    Unread,
    check_references,
    missing_rulings,
    unknown_names,
)
from kb.records.checks.texts import (
    check_content,
    check_language,
    check_letters,
    check_markdown,
    check_no_email,
    check_no_todo,
)
from kb.records.model import AskedQuestion, Game, Ruling
from kb.records.tables import QUESTIONS_FILE, question_key
from kb.records.validity import NO_LONGER


def check_library(
    games: Mapping[str, Game], rulings: Rulings, unread: Unread = MappingProxyType({})
) -> Iterator[Problem]:
    """Yield every problem between the records of a library: `rulings` by `game/id`.

    `unread`: the paths of rulings that cannot be read, by key.
    """
    known = rulings.keys() | unread.keys()
    for game in games.values():
        yield from check_sources(game)
        yield from check_listed_once(game)
        yield from check_term_languages(game)
        yield from check_drawn_cards(game)
        yield from check_term_names(game)
    for ruling in rulings.values():
        owner = games.get(ruling.game)
        if owner is None:
            message = f"the game {ruling.game!r} has no readable game.yaml"
            cause = f"{ruling.path.rsplit('/', 2)[0]}/game.yaml"
            yield Problem(ruling.path, 1, message, cause)
            continue
        yield from check_references(ruling, owner, rulings, unread)
        yield from check_folder(ruling, owner)
        yield from check_text_languages(ruling, owner)
        yield from check_language(ruling, owner)
        yield from check_letters(ruling)
        yield from check_verdict(ruling)
        yield from check_no_email(ruling)
        yield from check_no_todo(ruling)
        yield from check_markdown(ruling)
    yield from check_statuses(games, rulings, unread)
    yield from check_dates(games, rulings)
    yield from check_cycles(rulings, "supersedes")
    yield from check_cycles(rulings, "example_of")
    yield from check_former_ids(rulings)
    for game in games.values():
        ids = {key.partition("/")[2] for key in known if key.startswith(f"{game.id}/")}
        yield from check_questions(game, ids, rulings)
        yield from check_diagrams(game, ids, rulings)
    strict = {key: game for key, game in games.items() if game.header.checks == "strict"}
    if strict:
        yield from check_content(strict, rulings)


def check_sources(game: Game) -> Iterator[Problem]:
    """A source overrides listed documents, and titles only provisions, which it lists once."""
    for source in game.sources:
        for index, other, hint in unknown_names(source.overrides, game.sources_by_id):
            message = f"overrides: {other} is not in sources.yaml{hint}"
            yield source.problem(message, "overrides", index)
        listed: set[str] = set()
        for index, provision in enumerate(source.provisions):
            if provision in listed:
                message = f"provisions: {provision} is listed twice"
                yield source.problem(message, "provisions", index)
            listed.add(provision)
        for provision in sorted(source.provision_titles.keys() - listed):
            message = f"provision-titles: {provision} is not among its provisions"
            yield source.problem(message, "provision-titles", provision)


def check_term_languages(game: Game) -> Iterator[Problem]:
    """Terms use the game's languages and topics."""
    for term in game.terms:
        for lang in {*term.names, *term.meaning, *term.also} - set(game.header.languages):
            key = next(key for key in ("names", "meaning", "also") if lang in getattr(term, key))
            place = (lang,) if key == "names" else (key, lang)
            yield term.problem(f"{lang} is not one of the game's languages", *place)
        for _, topic, hint in unknown_names(term.topics, game.topics):
            yield term.problem(f"topics: {topic} is not in game.yaml{hint}", "topics")


def check_listed_once(game: Game) -> Iterator[Problem]:
    """Topics, rule sets and editions are listed once."""
    header = game.header
    lists = {"topics": header.topics, "rule-sets": header.rule_sets, "editions": header.editions}
    for name, entries in lists.items():
        for entry_id, count in Counter(entry.id for entry in entries).items():
            if count > 1:
                yield game.problem("game.yaml", f"{name}: {entry_id} is listed twice")


def check_drawn_cards(game: Game) -> Iterator[Problem]:
    """Some card has each side with a colour, type with a glyph, and translated fact."""
    for fact, named in (
        ("side-colours", game.header.side_colours),
        ("type-glyphs", game.header.type_glyphs),
    ):
        what = fact.partition("-")[0]
        known = {getattr(card, what) for card in game.cards}
        for _, name, hint in unknown_names(named, known):
            yield game.problem("game.yaml", f"{fact}: no card has the {what} {name}{hint}")
    words = {word for card in game.cards for word in card.words()}
    for _, name, hint in unknown_names(game.header.card_words, words):
        message = f"card-words: no card has the set, type, side or subtype {name}{hint}"
        yield game.problem("game.yaml", message)


def check_term_names(game: Game) -> Iterator[Problem]:
    """Terms do not share a name in a language; a name under `also` is new."""
    owners: dict[tuple[str, str], str] = {}
    for kind in ("names", "also"):
        for term in game.terms:
            for lang, names in getattr(term, kind).items():
                before = (lang,) if kind == "names" else (kind, lang)
                for index, name in enumerate(names):
                    key = (lang, question_key(name))
                    owner = owners.get(key, "")
                    if owner and (kind == "also" or owner != term.id):
                        message = f"{before[0]}: {name!r} is already a name of {owner}"
                        yield term.problem(message, *before, index)
                    owners.setdefault(key, term.id)


def check_folder(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """The folder of a ruling is one of its topics."""
    if not ruling.header.topics:
        yield ruling.problem("topics: empty; name at least one", "topics")
    elif ruling.folder not in ruling.header.topics and game.topics.keys() >= set(
        ruling.header.topics
    ):
        message = f"topics: the file lies in {ruling.folder}/, which is not among its topics"
        yield ruling.problem(message, "topics")


def check_text_languages(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """The original is in the game's language, the translations are in its other languages."""
    for text in ruling.texts:
        if text.lang not in game.header.languages:
            known = ", ".join(game.header.languages)
            message = f"{text.lang} is not one of the game's languages ({known})"
            yield Problem(ruling.path, text.line, message)
    if not ruling.text(game.language):
        message = f"no section in {game.language}, the game's language"
        yield Problem(ruling.path, ruling.original.line, message)
    elif ruling.original.lang != game.language:
        message = f"the first section is the original and must be in {game.language}"
        yield Problem(ruling.path, ruling.original.line, message)


def check_verdict(ruling: Ruling) -> Iterator[Problem]:
    """The verdict `if`, and no other, has conditions; an unanswered question has no verdict."""
    head = ruling.header
    if head.verdict and head.status == "unanswered":
        yield ruling.problem("verdict: an unanswered question has no verdict", "verdict")
    if head.verdict == "if" and not head.when:
        yield ruling.problem("verdict: if, but `when:` does not say when", "verdict")
    if head.when and head.verdict != "if":
        yield ruling.problem("when: only the verdict `if` has conditions", "when")
    for lang in head.when:
        if not ruling.text(lang):
            yield ruling.problem(f"when.{lang}: there is no text in {lang}", "when", lang)


def check_statuses(
    games: Mapping[str, Game], rulings: Rulings, unread: Unread
) -> Iterator[Problem]:
    """A ruling with a successor is not current, and a superseded ruling has a successor."""
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


def check_cycles(rulings: Rulings, field: str) -> Iterator[Problem]:
    """A relation has no cycles; each is reported at its first ruling by id."""
    key = field.replace("_", "-")
    graph = {
        at: [f"{ruling.game}/{other}" for other in getattr(ruling.header, field)]
        for at, ruling in sorted(rulings.items())
        if getattr(ruling.header, field)
    }
    while True:
        try:
            TopologicalSorter(graph).prepare()
            return
        except CycleError as error:
            loop: list[str] = error.args[1][:0:-1]
        first = min(loop)
        place = loop.index(first)
        if len(loop) > 1:
            names = [rulings[at].id for at in (*loop[place:], *loop[:place], first)]
            yield rulings[first].problem(f"{key}: a cycle: {' -> '.join(names)}", key)
        for at in loop:
            del graph[at]


def check_former_ids(rulings: Rulings) -> Iterator[Problem]:
    """A former id leads to one ruling, and no ruling has it now."""
    owners: dict[str, str] = {}
    for ruling in rulings.values():
        for index, former in enumerate(ruling.header.formerly):
            key = f"{ruling.game}/{former}"
            if key in rulings:
                path = rulings[key].path
                message = f"formerly: {former} is the id of {path}; ids are never reused"
                yield ruling.problem(message, "formerly", index)
            elif key in owners:
                message = f"formerly: {former} already leads to {owners[key]}"
                yield ruling.problem(message, "formerly", index)
            owners.setdefault(key, ruling.path)


def check_questions(game: Game, ids: Collection[str], rulings: Rulings) -> Iterator[Problem]:
    """Questions belong to rulings that the search finds; each leads to one, in a language of it.

    `ids`: of the game's rulings. Of two equal questions the later is reported.
    """
    named = ((question.ruling, question.line) for question in game.questions)
    for _, line, message in missing_rulings(named, game.id, ids, rulings):
        yield game.problem(QUESTIONS_FILE, message, line)
    first: dict[str, AskedQuestion] = {}
    for question in game.questions:
        problem = partial(game.problem, QUESTIONS_FILE, line=question.line)
        asked = rulings.get(f"{game.id}/{question.ruling}")
        if asked and asked.header.status in NO_LONGER:
            yield problem(
                f"{asked.id} is {asked.header.status}, so the search leaves it out; name the"
                " ruling that is in force, or delete the line"
            )
        if question.lang not in game.header.languages:
            languages = ", ".join(game.header.languages)
            message = f"{question.lang} is not one of the game's languages ({languages})"
            yield problem(message + language_hint(question.lang))
        elif other := other_language(question.text, question.lang, game.header.languages):
            yield problem(f"a question of {question.lang} seems to be in {other}")
        same = first.setdefault(question_key(question.text), question)
        if same.ruling != question.ruling:
            yield problem(
                f"line {same.line} has it for {same.ruling}; a question leads to one ruling"
            )
