"""Templates: strict, and compiled once for a user."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.site.i18n import SOURCE, read_words
from kb.site.render import code_cache, environment, render
from kb.site.templates import PACKAGED, Templates

PAGE = "p.html"


def rendered(folder: Path, text: str) -> str:
    (folder / PAGE).write_text(text, encoding="utf-8")
    templates = Templates((folder, PACKAGED))
    env = environment(templates, read_words(templates, SOURCE))
    return render(env, PAGE, "demo/x/", {"text": "<a & 'b'>"})


@pytest.mark.parametrize(
    "text",
    [
        "{{ nothing }}",
        "\n{{ nothing() }}",
        "{{ text.nothing() }}",
        "{% block main %}\n{% endblok %}",
    ],
)
def test_a_broken_template_is_named_with_its_line(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "templates"
    folder.mkdir()
    with pytest.raises(KbError) as raised:
        rendered(folder, text)
    (problem,) = raised.value.problems
    assert problem.path.endswith(PAGE) and problem.line == text.count("\n") + 1


def test_an_unwritable_cache_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert rendered(tmp_path, "{{ ui }}") == "en"
    assert [*(tmp_path / "cache").rglob("*.cache")]
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert code_cache() is None and rendered(tmp_path, "{{ ui }}") == "en"
