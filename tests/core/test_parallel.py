"""Work in several processes: nothing is lost, the order stays, and what goes wrong is told."""

from __future__ import annotations

import os

import pytest

from kb.core import parallel as processes
from kb.core.problems import KbError


@pytest.fixture(params=[1, 3])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    many: int = request.param
    monkeypatch.setattr(processes, "cpu_count", lambda: many)
    return many


@pytest.mark.parametrize("many", [0, 1, 19, 20, 21, 137])
def test_portions_keep_their_order(cores: int, many: int) -> None:
    made = processes.map_chunks(lambda some: [2 * one for one in some], list(range(many)), 10)
    assert [one for part in made for one in part] == [2 * one for one in range(many)]
    assert all(len(part) <= 10 for part in made) or many < 20


def test_few_are_not_worth_a_process(cores: int) -> None:
    assert processes.map_chunks(lambda some: os.getpid(), list(range(19)), 10) == [os.getpid()]


def test_many_are_worked_on_elsewhere(cores: int) -> None:
    found = set(processes.map_chunks(lambda some: os.getpid(), list(range(100)), 10))
    assert (found == {os.getpid()}) is (cores == 1)


def test_what_goes_wrong_is_raised(cores: int) -> None:
    def bad(some: list[int]) -> None:
        if 57 in some:
            raise KbError("fifty-seven")

    with pytest.raises(KbError, match="fifty-seven"):
        processes.map_chunks(bad, list(range(100)), 10)
