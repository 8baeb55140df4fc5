"""Under which conditions sessions were made, and which of them may stand in one table."""

from __future__ import annotations

from nqueens_models.bench.records import Session


def difference(old: Session, new: Session) -> str:
    """Return in words in what machine and versions of two sessions differ, "" if they do not.

    A package that only one of them needed is no difference.
    """
    parts = []
    if old.machine != new.machine:
        parts.append(f"{old.machine.describe()}, now {new.machine.describe()}")
    for name in sorted(old.versions.keys() & new.versions.keys()):
        if old.versions[name] != new.versions[name]:
            parts.append(f"{name} {old.versions[name]}, now {new.versions[name]}")
    return "; ".join(parts)


def unlike(first: Session, other: Session) -> str:
    """Return in what the conditions of two sessions differ, "" if their runs may stand in one table.

    Limits may differ as long as no contender meets a case under both.
    """
    parts = [difference(first, other)]
    if first.at_once != other.at_once:
        parts.append(f"{first.at_once} run(s) at a time, now {other.at_once}")
    if first.allowance != other.allowance and _meetings(first) & _meetings(other):
        parts.append(f"{limits_text(first)}, now {limits_text(other)}")
    return "; ".join(filter(None, parts))


def _meetings(session: Session) -> set[tuple[str, str]]:
    return {(session.cases[case].name, session.contenders[contender].label) for case, contender in session.cells}


def limits_text(session: Session) -> str:
    """Return what each run might use, and whether the engines were warmed up."""
    allowance = session.allowance
    memory = "no limit of memory" if allowance.memory is None else f"{allowance.memory >> 20} MiB"
    warm_up = "warm" if allowance.warm_up else "cold"
    return f"{allowance.seconds:g} s, {memory}, {warm_up}"
