"""Specifications of engines: settings with and without quotes, alone and in lists."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_models.engines import registry
from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor, setting
from nqueens_models.engines.registry import full_spec, make_engine, spec_of, split_specs
from nqueens_models.errors import InvalidSetting
from nqueens_models.instance import Instance


@dataclass(frozen=True)
class Told:
    """An engine with settings of every kind."""

    name: ClassVar[str] = "told"
    requires: ClassVar[tuple[str, ...]] = ()

    text: str = setting("", "any text")
    other: str = setting("a", "any text")
    number: int = setting(1, "a number")
    flag: bool = setting(False, "a flag")

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        raise NotImplementedError


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "BUILT_IN", {**registry.BUILT_IN, "told": f"{__name__}:Told"})


@pytest.mark.parametrize(
    ("spec", "engine"),
    [
        ("told", Told()),
        ("told:", Told()),
        ("told:text=one,number=2", Told("one", number=2)),
        ('told:text="a, b=c:d, e",number=2', Told("a, b=c:d, e", number=2)),
        ('told: text = " padded " , flag = true', Told(" padded ", flag=True)),
        ('told:text="say ""yes, or"" no"', Told('say "yes, or" no')),
        ('told:text="",other=""""', Told("", '"')),
        ('told:text=sh -c "a, b" c', Told('sh -c "a, b" c')),
        ("told:text=a=b", Told("a=b")),
    ],
)
def test_settings(spec: str, engine: Told) -> None:
    assert make_engine(spec) == engine


@pytest.mark.parametrize("spec", ['told:text="open', 'told:text=a,other=b",number=1'])
def test_a_quote_is_closed(spec: str) -> None:
    with pytest.raises(InvalidSetting, match="not closed"):
        make_engine(spec)


texts = st.text(st.sampled_from('ab "",=: {}'), max_size=12)


@given(texts, texts, st.integers(), st.booleans())
def test_the_specification_of_an_engine_describes_it(text: str, other: str, number: int, flag: bool) -> None:
    engine = Told(text, other, number, flag)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "BUILT_IN", {**registry.BUILT_IN, "told": f"{__name__}:Told"})
        assert make_engine(spec_of(engine)) == make_engine(full_spec(engine)) == engine
        both = split_specs(f"bitmask,{spec_of(engine)},sat:seed=1,solver=glucose4,{full_spec(engine)}")
        assert [make_engine(one) for one in (both[1], both[3])] == [engine, engine]
        assert [both[0], both[2]] == ["bitmask", "sat:seed=1,solver=glucose4"]
