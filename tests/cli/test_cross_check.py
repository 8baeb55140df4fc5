"""`cross-check` and `engines`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import pytest

from nqueens_models.engines import registry
from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor, setting
from nqueens_models.engines.bitmask import BitmaskEngine
from nqueens_models.instance import Instance
from tests.cli.conftest import Result

Command = Callable[..., Result]


@dataclass(frozen=True)
class Liar:
    """An engine that errs in the way its field says."""

    name: ClassVar[str] = "liar"
    requires: ClassVar[tuple[str, ...]] = ()
    fault: str = setting("loses", "how it errs")

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        blocks: list[object] = []
        outcome = BitmaskEngine().enumerate(instance, blocks.append, limits)
        for number, block in enumerate(blocks):
            if self.fault == "loses" and number == 0:
                block = block[1:]  # type: ignore[index]
            elif self.fault == "adds" and number == 0:
                block[0] = range(instance.n)  # type: ignore[index]
            elif self.fault == "fails":
                raise RuntimeError("out of order")
            visit(block)  # type: ignore[arg-type]
            if self.fault == "repeats":
                visit(block)  # type: ignore[arg-type]
        return outcome


@pytest.fixture
def liar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the engine that errs."""
    monkeypatch.setattr(registry, "BUILT_IN", {**registry.BUILT_IN, "liar": "tests.cli.test_cross_check:Liar"})


def test_every_engine_finds_the_identical_set(nqueens: Command) -> None:
    result = nqueens("cross-check", 7)
    assert result.status == 0
    assert "IDENTICAL on n=7" in result.out
    assert "left out" not in result.out
    ready = [name for name in registry.BUILT_IN if not registry.describe(name).needs]
    table = [line.split() for line in result.out.splitlines()[1 : 1 + len(ready)]]
    assert [row[0] for row in table] == ready
    assert {tuple(row[-6:-3]) for row in table} == {("40", "40", "40")}
    assert len({row[-3] for row in table}) == 1


def test_chosen_engines_with_settings(nqueens: Command) -> None:
    result = nqueens(
        "cross-check", 6, "--engines", "sat:solver=glucose4,at_most_one=ladder,cpsat,bitmask", "--json"
    )
    verdict = json.loads(result.out)
    assert verdict["identical"] is True
    assert verdict["termination"] == "exhausted"
    assert [one["engine"] for one in verdict["engines"]] == [
        "sat:solver=glucose4,at_most_one=ladder",
        "cpsat",
        "bitmask",
    ]


@pytest.mark.usefixtures("liar")
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("loses", "misses 1 placements"),
        ("adds", "adds, against the rules, 1 placements"),
        ("repeats", "visited 4 placements again"),
        ("fails", "failed: RuntimeError: out of order"),
    ],
)
def test_an_engine_that_errs_is_caught_and_shown(nqueens: Command, fault: str, words: str) -> None:
    result = nqueens("cross-check", 6, "--engines", f"bitmask,liar:fault={fault}")
    assert result.status == 1
    assert "DISAGREEMENT" in result.out
    assert words in result.out
    if fault in ("loses", "adds"):
        assert ".Q...." in result.out.splitlines()


@pytest.mark.usefixtures("liar")
def test_a_disagreement_in_json_holds_the_witnesses(nqueens: Command) -> None:
    result = nqueens("cross-check", 6, "--engines", "bitmask,liar", "--json")
    verdict = json.loads(result.out)
    assert (result.status, verdict["identical"]) == (1, False)
    assert verdict["disagreements"] == [
        {"engine": "liar", "missing": [[1, 3, 5, 0, 2, 4]], "wrong": [], "repetitions": 0, "error": None}
    ]


@pytest.mark.usefixtures("liar")
@pytest.mark.parametrize(("fault", "words"), [("adds", "no solution of n=6"), ("repeats", "twice")])
def test_solve_refuses_what_a_wrong_engine_gives(nqueens: Command, fault: str, words: str) -> None:
    result = nqueens("solve", 6, "--engine", f"liar:fault={fault}")
    assert (result.status, result.out) == (1, "")
    assert words in result.err
    assert "liar" in result.err


def test_a_search_that_was_not_completed_is_no_agreement(nqueens: Command) -> None:
    result = nqueens("cross-check", 12, "--engines", "conflict-check", "--timeout", 0.2)
    assert result.status == 3
    assert "INCOMPLETE" in result.out


def test_engines_are_described(nqueens: Command) -> None:
    text = nqueens("engines").out
    infos = json.loads(nqueens("engines", "--json").out)
    assert [info["name"] for info in infos] == list(registry.BUILT_IN)
    for info in infos:
        assert info["available"], info
        assert info["summary"] in text
        for one in info["settings"]:
            assert f"{one['name']}=" in text
    assert {"glucose4", "minisat22"} <= set(next(i for i in infos if i["name"] == "sat")["settings"][0]["choices"])


def test_a_broken_plug_in_harms_nothing_else(nqueens: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    broken = EntryPoint("broken", "no_such_module:Engine", registry.ENTRY_POINTS)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [broken])
    assert "broken  (not available: " in nqueens("engines").out
    assert "broken" in nqueens("solve", 4, "--engine", "broken").one_line_error()
    result = nqueens("cross-check", 5)
    assert result.status == 0
    assert "left out: broken" in result.out
