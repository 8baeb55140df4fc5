"""The table of instance formats, and reading a file whose format is given or can be proved."""

from __future__ import annotations

from collections.abc import Mapping

from nqueens_models.errors import FormatError, InvalidSetting
from nqueens_models.formats import grids, instance_json, parameters, region_json
from nqueens_models.formats.base import InstanceFormat
from nqueens_models.formats.source import Source
from nqueens_models.instance import Instance

INSTANCE_FORMATS: Mapping[str, InstanceFormat] = {
    one.name: one
    for one in (
        instance_json.JSON,
        grids.BOARD,
        grids.REGIONS,
        region_json.REGION_JSON,
        parameters.ESSENCE_COMPLETION,
        parameters.ESSENCE_BLOCKED,
        parameters.ASP,
        parameters.DZN,
        instance_json.PYCSP3,
        parameters.COMPLETION,
    )
}


def read_instance(source: Source, name: str | None = None) -> Instance:
    """Return the instance that a file holds, in the format `name` or the one its content proves.

    Raises FormatError for a file that does not follow the format, and, without a name, for one that fits none or
    several with different meanings: the message lists these. Raises InvalidSetting for an unknown name.
    """
    if name is not None:
        return instance_format(name).read(source)
    candidates = [one for one in INSTANCE_FORMATS.values() if one.claims(source.text)]
    if not candidates:
        raise source.error(f"no instance format is recognised; name one of {', '.join(INSTANCE_FORMATS)}")
    if len(candidates) == 1:
        return candidates[0].read(source)
    return _agreed(source, candidates)


def instance_format(name: str) -> InstanceFormat:
    """Return a format by its name; raise InvalidSetting, listing those that exist."""
    if name not in INSTANCE_FORMATS:
        raise InvalidSetting(f"no instance format is called {name!r}; there are {', '.join(INSTANCE_FORMATS)}")
    return INSTANCE_FORMATS[name]


def _agreed(source: Source, candidates: list[InstanceFormat]) -> Instance:
    """Return what all candidates that can read the file read; raise FormatError unless that is one instance."""
    read: dict[str, Instance] = {}
    errors: dict[str, FormatError] = {}
    for one in candidates:
        try:
            read[one.name] = one.read(source)
        except FormatError as error:
            errors[one.name] = error
    if len(set(read.values())) > 1:
        options = " or ".join(f"{name} ({INSTANCE_FORMATS[name].base}-based)" for name in read)
        raise source.error(f"means different instances as {options}: name the format")
    if not read:
        start = source.name + ": "
        raise source.error("; ".join(f"as {name}: {str(e).removeprefix(start)}" for name, e in errors.items()))
    return next(iter(read.values()))
