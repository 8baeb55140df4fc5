"""Specifications of engines: settings with and without quotes, alone and in lists; plug-ins, good and broken."""

from dataclasses import dataclass
from importlib.metadata import EntryPoint, EntryPoints
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nqueens_models.engines import registry
from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor, setting
from nqueens_models.engines.registry import full_spec, make_engine, spec_of, split_specs
from nqueens_models.errors import EngineUnavailable, InvalidSetting
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


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "no engine is called ''; there are: bitmask, cpsat, sat"),
        ("bitmsak", "no engine is called 'bitmsak'; did you mean bitmask? There are: bitmask"),
        ("told:txet=a", "no setting of told is called 'txet'; did you mean text? There are: text, other"),
        ("told:number=x", "number takes a whole number, not 'x'"),
        ("told:number=2.5", "number takes a whole number, not '2.5'"),
        ("told:flag=maybe", "flag takes true or false, not 'maybe'"),
        ("told:text", "'text' in 'told:text': write each setting once, as name=value"),
        ("told:text=a,text=b", "write each setting once"),
        ("told:=a", "no setting of told is called ''"),
        ("conflict-check:depth=1", "no setting of conflict-check is called 'depth'"),
        ("column-sets:container=lists", "no value of container is called 'lists'; did you mean list? There are: "),
    ],
)  # fmt: skip
def test_refused_specifications(spec: str, message: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        make_engine(spec)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@dataclass(frozen=True)
class Chosen(Told):
    """An engine with settings that are restricted."""

    name: ClassVar[str] = "chosen"
    level: int = setting(1, "a number of few", ("1", "2"))
    late: str = setting("x", "asked for late", lambda: ("x", "y"))
    private: int = 7


def test_restricted_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "BUILT_IN", {"chosen": f"{__name__}:Chosen"})
    assert make_engine("chosen:level=2,late=y") == Chosen(level=2, late="y")
    for wrong in ("level=3", "late=z", "private=8"):
        with pytest.raises(InvalidSetting):
            make_engine(f"chosen:{wrong}")
    levels = {one.name: one.choices for one in registry.describe("chosen").settings}
    assert (levels["level"], levels["late"], levels["text"]) == (("1", "2"), ("x", "y"), ())
    assert "private" not in levels


@pytest.mark.parametrize("name", registry.BUILT_IN)
def test_each_built_in_engine_is_described(name: str) -> None:
    info = registry.describe(name)
    assert info.name == name
    assert info.missing is None
    assert info.summary.endswith(".")
    assert all(one.summary for one in info.settings)
    needed = ",".join(f"{key}=a" for key in info.needs)
    engine = make_engine(f"{name}:{needed}")
    assert engine.name == name
    assert set(info.versions) == set(engine.requires)
    assert spec_of(engine) == (f"{name}:{needed}" if needed else name)
    assert make_engine(full_spec(engine)) == make_engine(engine) == engine


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("", []),
        ("bitmask", ["bitmask"]),
        (" bitmask , cpsat ,", ["bitmask", "cpsat"]),
        ("sat:solver=cadical195,seed=1,cpsat", ["sat:solver=cadical195,seed=1", "cpsat"]),
        ("sat,solver=minicard,cpsat:seed=2,model=boolean", ["sat:solver=minicard", "cpsat:seed=2,model=boolean"]),
        ("sat:seed=1,sat:seed=2", ["sat:seed=1", "sat:seed=2"]),
        ('told:text="a,b=c",bitmask', ['told:text="a,b=c"', "bitmask"]),
    ],
)
def test_lists_of_specifications(text: str, specs: list[str]) -> None:
    assert split_specs(text) == specs


class Needy(Told):
    """Needs what nobody has."""

    name: ClassVar[str] = "needy"
    requires: ClassVar[tuple[str, ...]] = ("numpy", "no-such-solver")


class Empty:
    """No engine at all."""


@pytest.fixture
def plug_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    classes = {"works": "Told", "needy": "Needy", "empty": "Empty", "absent": "Absent", "bitmask": "Empty"}
    points = [EntryPoint(name, f"{__name__}:{kind}", registry.ENTRY_POINTS) for name, kind in classes.items()]
    points.append(EntryPoint("unwritten", "nqueens_no_such_module:Engine", registry.ENTRY_POINTS))

    def entry_points(*, group: str) -> EntryPoints:
        return EntryPoints(point for point in points if point.group == group)

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)


@pytest.mark.usefixtures("plug_ins")
class TestPlugIns:
    """Engines of other distributions."""

    def test_they_are_named_after_ours(self) -> None:
        assert registry.names() == (*registry.BUILT_IN, "absent", "empty", "needy", "unwritten", "works")

    def test_a_good_one_is_an_engine_like_any_other(self) -> None:
        assert make_engine("works:number=3") == Told(number=3)
        assert registry.describe("works").summary == "An engine with settings of every kind."
        assert registry.describe("works").missing is None

    def test_ours_cannot_be_replaced(self) -> None:
        assert type(make_engine("bitmask")).__name__ == "BitmaskEngine"

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("empty", "TypeError: tests.engines.test_registry:Empty has no method enumerate"),
            ("absent", "AttributeError: "),
            ("unwritten", "ModuleNotFoundError: No module named 'nqueens_no_such_module'"),
        ],
    )
    def test_a_broken_one_shows_and_harms_nothing_else(self, name: str, why: str) -> None:
        with pytest.raises(EngineUnavailable) as caught:
            make_engine(name)
        assert f"the plug-in {name} does not load: {why}" in str(caught.value)
        missing = registry.describe(name).missing
        assert missing is not None
        assert why in missing
        assert make_engine("bitmask").name == "bitmask"

    def test_a_missing_solver_is_named_with_the_remedy(self) -> None:
        with pytest.raises(EngineUnavailable, match="install it with: pip install no-such-solver"):
            make_engine("needy")
        info = registry.describe("needy")
        assert info.missing == "install it with: pip install no-such-solver"
        assert set(info.versions) == {"numpy"}
