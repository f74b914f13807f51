"""Languages analysed for the table of forms: what is done stays when somebody ends the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.core import parallel
from kb.language.forms import FormSession, build_form_table
from kb.language.inflection import LanguageRows


class Ended(Exception):
    pass


def test_a_preparation_that_is_ended_goes_on_from_the_languages_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "cpu_count", lambda: 1)
    begun: list[str] = []
    begin = LanguageRows.__init__

    def noted(self: LanguageRows, lang: str) -> None:
        begun.append(lang)
        begin(self, lang)

    monkeypatch.setattr(LanguageRows, "__init__", noted)
    session = FormSession()
    given = ({"en": {"pilot"}, "pl": {"pilot", "karta"}}, {"en": ["Vader"], "pl": ["Vader"]}, ())
    build_form_table(tmp_path / "first", *given)
    begun.clear()

    def end() -> None:
        raise Ended

    session.prepares = end
    for number in range(2):
        with pytest.raises(Ended):
            build_form_table(tmp_path / f"ended-{number}", *given, tmp_path / "first", session)
    session.prepares = lambda: None
    build_form_table(tmp_path / "last", *given, tmp_path / "first", session)
    assert sorted(begun) == ["en", "pl"] == sorted(session.languages)
