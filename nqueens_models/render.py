"""Placements as text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def board_text(placement: NDArray[np.integer[Any]]) -> str:
    """Return n lines of `Q` and `.`; a column off the board leaves its row empty."""
    n = len(placement)
    return "\n".join("".join(".Q"[column == queen] for column in range(n)) for queen in placement.tolist())
