from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import nqueens as nqueens

HOSTILE = Path(__file__).parents[1] / "data" / "hostile"


@pytest.fixture
def hostile_engines(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Engines that misbehave are installed, here and in every process that is started."""
    monkeypatch.syspath_prepend(str(HOSTILE))
    monkeypatch.setenv("PYTHONPATH", str(HOSTILE))
    return HOSTILE
