"""The command `engines`."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from nqueens_models.cli.exits import Exit
from nqueens_models.cli.options import AsJson
from nqueens_models.engines.registry import BUILT_IN, EngineInfo, describe, names


def engines(as_json: AsJson = False) -> int:
    """Show every engine: what it is, its settings, its version, whether it can be used here."""
    infos = [describe(name) for name in names()]
    if as_json:
        print(json.dumps([_facts(info) for info in infos], indent=2))
    else:
        for info in infos:
            print("\n".join(_lines(info)))
    return Exit.DONE


def _facts(info: EngineInfo) -> dict[str, Any]:
    return {**dataclasses.asdict(info), "available": info.missing is None}


def _lines(info: EngineInfo) -> list[str]:
    """Return the account of one engine: a heading, what it is, its settings."""
    versions = ", ".join(f"{package} {version}" for package, version in info.versions.items())
    usual = (
        f"give it {', '.join(info.needs)}"
        if info.needs
        else versions or ("built in" if info.name in BUILT_IN else "plug-in")
    )
    state = f"not available: {info.missing}" if info.missing else usual
    lines = [f"{info.name}  ({state})", f"    {info.summary}"]
    for one in info.settings:
        default = str(one.default).lower() if isinstance(one.default, bool) else one.default
        choices = f"  one of: {', '.join(one.choices)}" if one.choices else ""
        lines.append(f"    {one.name}={default}  {one.summary}{choices}")
    return lines
