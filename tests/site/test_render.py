"""Templates: strict, and compiled once for this user alone."""

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


def test_a_damaged_or_unwritable_cache_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert rendered(tmp_path, "{{ ui }}") == "en"
    (compiled,) = (tmp_path / "cache").rglob("*.cache")
    whole = compiled.read_bytes()
    for size in (0, 10, len(whole) // 2):
        compiled.write_bytes(whole[:size])
        assert rendered(tmp_path, "{{ ui }}") == "en"
    assert compiled.read_bytes() == whole
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert code_cache() is None and rendered(tmp_path, "{{ ui }}") == "en"


def test_code_that_others_may_write_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert code_cache()
    (folder,) = (path for path in tmp_path.rglob("*") if path.name == "compiled-templates")
    assert folder.stat().st_mode & 0o077 == 0
    for mode in (0o722, 0o770):
        folder.chmod(mode)
        assert code_cache() is None
    folder.chmod(0o700)
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert code_cache() is None
