"""Names to engines: the one list of engines, the syntax of engine specifications, and plug-ins.

A specification is a name and settings, `sat:solver=glucose4,at_most_one=ladder`; the name alone is the default
configuration. A value with commas stands in quotes, where a quote is doubled: `command="solver -o a,b {file}"`. To
add an engine, write its file and add its line to BUILT_IN; another distribution adds one through
the entry-point group `nqueens_models.engines`.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nqueens_models.engines.base import Engine
from nqueens_models.errors import EngineUnavailable, InvalidSetting

BUILT_IN: Mapping[str, str] = {
    "bitmask": "nqueens_models.engines.bitmask:BitmaskEngine",
    "cpsat": "nqueens_models.engines.cpsat:CpSatEngine",
    "sat": "nqueens_models.engines.sat:SatEngine",
    "external": "nqueens_models.engines.external:ExternalEngine",
    "column-sets": "nqueens_models.engines.classic.column_sets:ColumnSets",
    "conflict-check": "nqueens_models.engines.classic.conflict_check:ConflictCheck",
    "iterative-deepening": "nqueens_models.engines.classic.iterative_deepening:IterativeDeepening",
    "attack-table": "nqueens_models.engines.classic.attack_table:AttackTable",
}
if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "nqueens_models.engines"
QUOTE = '"'


@dataclass(frozen=True)
class Setting:
    """One setting of an engine; `choices` is empty when any value of the default's type will do."""

    name: str
    summary: str
    default: Any
    choices: tuple[str, ...]

    def parse(self, text: str) -> Any:
        """Return the value that `text` stands for; raise InvalidSetting, saying which exist."""
        kind = type(self.default)
        try:
            value = {"true": True, "false": False}[text.lower()] if kind is bool else kind(text)
        except (KeyError, ValueError):
            wanted = {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "text")
            raise InvalidSetting(f"{self.name} takes {wanted}, not {text!r}") from None
        if self.choices and str(value) not in self.choices:
            raise InvalidSetting(unknown(f"value of {self.name}", text, self.choices))
        return value


@dataclass(frozen=True)
class EngineInfo:
    """What can be said about a registered engine without running it.

    `missing` says why it cannot be used and what to install, and is None when it can; `needs` names the settings
    without which it cannot be made.
    """

    name: str
    summary: str
    settings: tuple[Setting, ...]
    versions: Mapping[str, str]
    missing: str | None
    needs: tuple[str, ...] = ()


def names() -> tuple[str, ...]:
    """Return the names of all engines, ours first."""
    return (*BUILT_IN, *sorted(_plug_ins()))


def make_engine(spec: str | Engine) -> Engine:
    """Return the engine that a specification such as `sat:solver=glucose4` describes.

    Raises InvalidSetting for an unknown engine, setting or value, and EngineUnavailable, naming what to install,
    for one that cannot run here. An engine is returned as it is.
    """
    if not isinstance(spec, str):
        return spec
    name, _, text = spec.strip().partition(":")
    kind = _load(name)
    missing = _missing(kind)
    if missing:
        raise EngineUnavailable(f"engine {name} is not available: {missing}")
    known = {one.name: one for one in settings_of(kind)}
    values: dict[str, Any] = {}
    for part in _split_at_commas(text):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key not in known:
            raise InvalidSetting(unknown(f"setting of {name}", key, known))
        if not equals or key in values:
            raise InvalidSetting(f"{part!r} in {spec!r}: write each setting once, as name=value")
        values[key] = known[key].parse(_unquoted(value))
    if unset := [known[key] for key in _required(kind) if not values.get(key)]:
        raise InvalidSetting(f"engine {name} needs {unset[0].name}: {unset[0].summary}")
    engine: Engine = kind(**values)
    return engine


def split_specs(text: str) -> list[str]:
    """Split a list of specifications at the commas that are not inside one.

    A comma is inside a specification when what follows is a setting: `sat:solver=cadical195,seed=1,cpsat` is two.
    """
    specs: list[str] = []
    for part in _split_at_commas(text):
        if "=" in part.partition(":")[0] and specs:
            specs[-1] += ("," if ":" in specs[-1] else ":") + part
        else:
            specs.append(part)
    return specs


def spec_of(engine: Engine) -> str:
    """Return the shortest specification of an engine: its name and the settings that differ from the default."""
    return _spec(engine, [s for s in settings_of(type(engine)) if getattr(engine, s.name) != s.default])


def full_spec(engine: Engine) -> str:
    """Return the specification of an engine with all its settings."""
    return _spec(engine, settings_of(type(engine)))


def _spec(engine: Engine, settings: Iterable[Setting]) -> str:
    values = ((one.name, getattr(engine, one.name)) for one in settings)
    texts = [
        f"{name}={_quoted(str(value).lower() if isinstance(value, bool) else str(value))}"
        for name, value in values
    ]
    return engine.name + (":" + ",".join(texts) if texts else "")


def _split_at_commas(text: str) -> list[str]:
    """Split at the commas that are not in quotes; raise InvalidSetting for a quote that is not closed."""
    if text.count(QUOTE) % 2:
        raise InvalidSetting(f"a quote is not closed in {text!r}")
    parts = (part.strip() for part in re.findall(r'(?:"[^"]*"|[^",])+', text))
    return [part for part in parts if part]


def _quoted(value: str) -> str:
    """Return how a value is written in a specification."""
    plain = value == value.strip() and not {",", QUOTE} & set(value)
    return value if plain else QUOTE + value.replace(QUOTE, 2 * QUOTE) + QUOTE


def _unquoted(value: str) -> str:
    """Return the value that was written; quotes inside an unquoted one are part of it."""
    if len(value) > 1 and value.startswith(QUOTE) and value.endswith(QUOTE):
        return value[1:-1].replace(2 * QUOTE, QUOTE)
    return value


def settings_of(kind: type) -> tuple[Setting, ...]:
    """Return the settings that an engine class declares by dataclass fields."""
    if not dataclasses.is_dataclass(kind):
        return ()
    return tuple(
        Setting(one.name, one.metadata.get("summary", ""), one.default, _choices(one.metadata.get("choices", ())))
        for one in dataclasses.fields(kind)
        if "summary" in one.metadata
    )


def describe(name: str) -> EngineInfo:
    """Return what is known about an engine; never raises for a broken plug-in."""
    try:
        kind = _load(name)
        versions = {package: v for package in kind.requires if (v := _version(package))}
        summary = (kind.__doc__ or "").strip().partition("\n")[0]
        return EngineInfo(name, summary, settings_of(kind), versions, _missing(kind), _required(kind))
    except Exception as error:  # a plug-in may raise anything, and harms nothing else
        return EngineInfo(name, "a plug-in that does not load", (), {}, f"{type(error).__name__}: {error}")


def unknown(what: str, given: str, existing: Iterable[str]) -> str:
    """Return one line: there is no such thing, which is nearest, which exist."""
    options = list(existing)
    near = difflib.get_close_matches(given, options, n=1)
    existing_ones = f"here are: {', '.join(options)}"
    if near:
        return f"no {what} is called {given!r}; did you mean {near[0]}? T{existing_ones}"
    return f"no {what} is called {given!r}; t{existing_ones}"


def _load(name: str) -> Any:
    """Return the class of an engine."""
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        return getattr(importlib.import_module(module), attribute)
    plug_ins = _plug_ins()
    if name not in plug_ins:
        raise InvalidSetting(unknown("engine", name, names()))
    try:
        kind = plug_ins[name].load()
        if not callable(getattr(kind, "enumerate", None)):
            raise TypeError(f"{plug_ins[name].value} has no method enumerate")
    except Exception as error:
        raise EngineUnavailable(f"the plug-in {name} does not load: {type(error).__name__}: {error}") from error
    return kind


def _plug_ins() -> dict[str, EntryPoint]:
    """Return the entry points of other distributions by name; ours cannot be replaced."""
    from importlib.metadata import entry_points  # takes long to import, and `bitmask` needs none of it

    points = entry_points(group=ENTRY_POINTS)
    return {point.name: point for point in points if point.name not in BUILT_IN}


def _choices(choices: Iterable[str] | Callable[[], Iterable[str]]) -> tuple[str, ...]:
    return tuple(choices() if callable(choices) else choices)


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _required(kind: Any) -> tuple[str, ...]:
    """Return the settings without which an engine cannot be made."""
    return tuple(getattr(kind, "required", ()))


def _missing(kind: Any) -> str | None:
    """Return what to install for an engine to work, or None."""
    absent = [package for package in getattr(kind, "requires", ()) if _version(package) is None]
    return f"install it with: pip install {' '.join(absent)}" if absent else None
