"""Every regular expression of kb/, found in its source, and strings that attack one."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kb

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from re import _compiler, _parser  # type: ignore[attr-defined]
    from re import _constants as sre

ROOT = Path(kb.__file__).parent
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
METHODS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split"}
CALLS = {f"re.{name}" for name in (*METHODS, "compile")}
# What a class of characters is tried with, the likeliest first.
_USUAL = "a17 .-_\"'([{<"
_TAILS = ("", "\n", "!", "\x00", "x", "7 ", "<", "]", "=", "\ue001")


@dataclass(frozen=True)
class Pattern:
    """One expression: its place, compiled, and one way in which it is used."""

    place: str
    compiled: re.Pattern[str]
    method: str

    def __str__(self) -> str:
        return f"{self.place}.{self.method}"

    def run(self, text: str) -> None:
        """Use it as the program does."""
        words = [lambda match: match[0]] if self.method in ("sub", "subn") else []
        found = getattr(self.compiled, self.method)(*words, text)
        if self.method == "finditer":
            list(found)


class _Names(dict[str, Any]):
    """The names of a module; what only a function knows is taken for a word."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, "word")


def patterns() -> list[Pattern]:
    """All of them, each at one place and used one way once."""
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in sorted(ROOT.rglob("*.py"))
        if "_data" not in path.parts
    }
    # Names of patterns are taken to mean the same everywhere.
    uses: dict[str, set[str]] = {}
    for text in texts.values():
        for name, method in re.findall(r"(?<![.\w])([^\W\d]\w*)\.(\w+)", text):
            uses.setdefault(name, set()).add(method)
    found = [
        pattern
        for path, text in texts.items()
        if re.search(r"\bre\.", text)
        for pattern in _of_module(path.relative_to(ROOT), ast.parse(text), uses)
    ]
    return list({(one.place, one.compiled.pattern, one.method): one for one in found}.values())


def _of_module(place: Path, tree: ast.Module, uses: dict[str, set[str]]) -> Iterator[Pattern]:
    name = ".".join(("kb", *place.with_suffix("").parts)).removesuffix(".__init__")
    values = vars(importlib.import_module(name))
    assigned = _assigned(tree)
    for node in ast.walk(tree):
        function = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        method = function.removeprefix("re.")
        if not isinstance(node, ast.Call) or function not in CALLS:
            continue
        flags = [one.value for one in node.keywords if one.arg == "flags"]
        if method == "compile":
            flags += node.args[1:2]
        text = eval(ast.unparse(node.args[0]), values, _Names(values))
        compiled = re.compile(
            text.decode("latin-1") if isinstance(text, bytes) else text,
            eval(ast.unparse(flags[0]), values) if flags else 0,
        )
        names = assigned.get(node, []) if method == "compile" else []
        methods = {used for name in names for used in uses.get(name, ())} & METHODS
        for used in sorted(methods or ({"match"} if names else {method} & METHODS)):
            yield Pattern(f"{place.as_posix()}:{'/'.join(names) or node.lineno}", compiled, used)


def _assigned(tree: ast.Module) -> dict[ast.AST, list[str]]:
    """The names that a compiled pattern, or the table in which it stands, gets, by node."""
    names: dict[ast.AST, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = [part for target in targets for part in ast.walk(target)]
            for inner in ast.walk(node.value):
                names.setdefault(inner, [part.id for part in parts if isinstance(part, ast.Name)])
    return names


# ---- strings that attack a pattern: what one repetition takes, over and over, and then what the
# pattern does not want ----


@dataclass(frozen=True)
class Attack:
    """`before` once, `pump` over and over, `after` once."""

    before: str
    pump: str
    after: str

    def of(self, length: int) -> str:
        """The string with its middle about so long."""
        return self.before + self.pump * max(1, length // len(self.pump)) + self.after


def attacks(compiled: re.Pattern[str]) -> Iterator[Attack]:
    """Strings for every repetition in a pattern, each with several ends."""
    tree = _parser.parse(compiled.pattern, compiled.flags)
    seen: set[tuple[str, str]] = set()
    for before, pump in [*_pumps(list(tree), ""), *((("", one)) for one in _starts(list(tree)))]:
        for lead in dict.fromkeys((before, "")):
            if pump and (lead, pump) not in seen:
                seen.add((lead, pump))
                for after in _TAILS:
                    yield Attack(lead, pump, after)


def _pumps(items: list[Any], before: str) -> Iterator[tuple[str, str]]:
    for place, (kind, value) in enumerate(items):
        if kind in _REPEATS:
            _low, high, inner = value
            if high == sre.MAXREPEAT or high > 8:
                for pump in dict.fromkeys((_example(list(inner), 0), _example(list(inner), 1))):
                    yield before, pump
                    # What follows, and what came before, with it: where two repetitions may share a
                    # string.
                    yield before, pump + _example(items[place + 1 : place + 2], 0)
                    yield before, _example(items[:place], 0) + pump
        for branch in _branches(kind, value):
            yield from _pumps(list(branch), before)
        before += _example([(kind, value)], 0)


def _branches(kind: Any, value: Any) -> list[Any]:
    """The pieces inside a piece of a pattern."""
    if kind is sre.BRANCH:
        return list(value[1])
    if kind in (*_REPEATS, sre.SUBPATTERN):
        return [value[-1]]
    if kind in (sre.ASSERT, sre.ASSERT_NOT):
        return [value[1]]
    return [value] if kind is sre.ATOMIC_GROUP else []


def _starts(items: list[Any]) -> Iterator[str]:
    """What a match can begin with, alone: many beginnings that all come to nothing."""
    for length in range(1, min(4, len(items)) + 1):
        yield _example(items[:length], 0)
        yield _example(items[:length], 1)


def _example(items: list[Any], many: int) -> str:
    """A string that a piece of a pattern takes; `many` further rounds of each repetition."""
    made = ""
    for kind, value in items:
        if kind is sre.LITERAL:
            made += chr(value)
        elif kind is sre.NOT_LITERAL:
            made += "a" if value != ord("a") else "b"
        elif kind is sre.ANY:
            made += "a"
        elif kind is sre.IN:
            made += _member(value)
        elif kind in _REPEATS:
            low, high, inner = value
            made += _example(list(inner), many) * min(max(low, 1) + many, high)
        elif kind in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
            made += _example(list(value[3] if kind is sre.SUBPATTERN else value), many)
        elif kind is sre.BRANCH:
            made += _example(list(value[1][many % len(value[1])]), many)
    return made


def _member(items: list[Any]) -> str:
    """A character of a class: a usual one, else the first that the class names."""
    state = _parser.State()
    state.str = ""
    tested = _compiler.compile(_parser.SubPattern(state, [(sre.IN, items)]))
    kind, value = items[0]
    first = value[0] if kind is sre.RANGE else value if kind is sre.LITERAL else ord("ж")
    return next((char for char in _USUAL if tested.fullmatch(char)), chr(first))
