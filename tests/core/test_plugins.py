"""Plug-ins: packages that add commands, and packages that are broken."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import RunCommand
from tests.packages import install

CHESS = """
from pathlib import Path

import click

from kb.core.plugins import Plugin

PLUGIN = Plugin(
    "chess",
    commands={"chess": "chess:greet", "search": "chess:greet"},
    guide=Path(__file__).with_name("chess.md"),
)
OTHER = Plugin("other", commands={"chess": "nowhere:other"})
GONE = Plugin("gone", commands={"gone": "chess:gone", "five": "chess:NUMBER"})
NUMBER = 5

@click.command()
@click.argument("name")
def greet(name: str) -> None:
    '''Greet a player.'''
    print(f"e4, {name}")
"""


def test_a_package_adds_a_command_and_a_guide(environment: Path, kb: RunCommand) -> None:
    install(environment, "chess", CHESS, "chess = chess:PLUGIN", "other = chess:OTHER")
    assert kb("chess", "Vera", cwd=environment).stdout == "e4, Vera\n"
    listed = kb("--help", cwd=environment).stdout.partition("Plug-ins")[2]
    assert "chess" in listed and "Greet a player." in listed
    # The command of kb comes before one of a plug-in.
    assert "QUERY" in kb("search", "--help", cwd=environment).stdout
    guide = environment / "chess.md"
    guide.write_text("# Chess\n\nCastle early.\n\nMore.\n", encoding="utf-8")
    assert "chess" in kb("help", cwd=environment).stdout.partition("writing")[2]
    shown = kb("help", "chess", cwd=environment).stdout
    assert "Greet a player." in shown and shown.endswith(guide.read_text(encoding="utf-8"))


def test_a_broken_package_is_named_and_spoils_nothing_else(
    environment: Path, kb: RunCommand
) -> None:
    entries = ("chess = chess:PLUGIN", "gone = chess:GONE", "number = chess:NUMBER")
    install(environment, "chess", CHESS, *entries)
    install(environment, "broken", "import no_such_module", "broken = broken:PLUGIN")
    # A folder that is left out of a copy of kb is no mistake.
    install(environment, "left_out", "", "left_out = left_out.folder:PLUGIN")
    (environment / "left_out.py").unlink()
    listed = kb("--help", cwd=environment)
    assert "chess" in listed.stdout and "gone" not in listed.stdout
    for message in (
        "the plug-in broken cannot be loaded: ModuleNotFoundError: No module named 'no_such_mod",
        "the plug-in gone cannot be loaded: AttributeError: ",
        "the plug-in number is not a kb.core.plugins.Plugin",
        "chess:NUMBER is not a click.core.Command",
    ):
        assert f"kb: {message}" in listed.stderr
    assert "left_out" not in listed.stderr
    assert "No such command 'gone'" in kb("gone", cwd=environment, code=2).stderr
