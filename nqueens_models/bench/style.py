"""How plots look: colours that colour-blind readers tell apart, in light and dark; figures as SVG and PNG.

For the page, figures are drawn with stand-ins for colours, which CSS variables then take the places of: so one
drawing serves both themes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from nqueens_models.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SERIES: tuple[tuple[str, str], ...] = (
    ("#0072b2", "#5ab4f0"),
    ("#c94f00", "#ff915a"),
    ("#00815c", "#45cfa4"),
    ("#a8437f", "#e79ccb"),
    ("#a06c00", "#f0c050"),
    ("#4b5cc4", "#a3aefc"),
    ("#6b6f76", "#b9c0ca"),
    ("#8c2f39", "#f08a94"),
)
"""Colours of contenders in the light and the dark theme, after Okabe and Ito (2008)."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.6)), (0, (1, 1.4)))
INK = {"ink": ("#1c2430", "#e8ebf0"), "muted": ("#5a6472", "#a0aab8"), "rule": ("#d9dde3", "#363e4a")}
PIXELS = 108  # an inch, on the page
PHASES = ("imports", "warm_up", "build", "solve", "check")
PHASE_COLOURS = (("#b8bec8", "#4c5564"), ("#8d97a5", "#6f7a8a"), ("#e0a030", "#f0c050"), ("#0072b2", "#5ab4f0"),
                 ("#00815c", "#45cfa4"))  # fmt: skip


@dataclass(frozen=True)
class Plot:
    """A figure with its name for files, its title, and the text that says what it shows."""

    name: str
    title: str
    description: str
    figure: Figure


@dataclass(frozen=True)
class Look:
    """How a series is drawn: a stand-in for its colour, marker, dashes."""

    colour: str
    marker: str
    dashes: Any


_for_page: ContextVar[bool] = ContextVar("for_page", default=False)


def look(number: int) -> Look:
    """Return how the series of a number is drawn: no two of 168 are alike."""
    dashes = DASHES[number // len(SERIES) % len(DASHES)]
    return Look(colour(f"series-{number % len(SERIES)}"), MARKERS[number % len(MARKERS)], dashes)


def colour(variable: str) -> str:
    """Return what to draw with for a colour of `variables`: its stand-in, or its value in the light theme."""
    names = list(variables())
    return f"#0a{names.index(variable):02x}0b" if _for_page.get() else variables()[variable][0]


def variables() -> dict[str, tuple[str, str]]:
    """Return the CSS variables of colours, with the values for light and dark."""
    found = {f"series-{number}": pair for number, pair in enumerate(SERIES)}
    found |= {f"phase-{number}": pair for number, pair in enumerate(PHASE_COLOURS)}
    return found | INK


@contextmanager
def drawing(for_page: bool = False) -> Iterator[None]:
    """Set matplotlib up, for the page or for files.

    Raises InvalidInput, naming the extra to install, if it is not there.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise InvalidInput("plots need the extra report: pip install 'nqueens-models[report]'") from error
    token = _for_page.set(for_page)
    ink, muted, rule = (colour(name) for name in INK)
    settings: Any = {
        "font.size": 11, "font.family": "sans-serif", "svg.fonttype": "none",
        "text.color": ink, "axes.labelcolor": muted, "axes.edgecolor": muted, "axes.titlesize": 12,
        "axes.titlelocation": "left", "axes.titleweight": "bold", "axes.titlecolor": ink, "axes.titlepad": 10,
        "axes.grid": True, "grid.color": rule, "grid.linewidth": 0.8, "axes.axisbelow": True,
        "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.8,
        "xtick.color": muted, "ytick.color": muted, "xtick.labelsize": 10, "ytick.labelsize": 10,
        "xtick.minor.visible": False, "ytick.minor.visible": False,
        "legend.frameon": False, "legend.fontsize": 10, "legend.handlelength": 2.6,
        "lines.linewidth": 1.8, "lines.markersize": 5.5, "axes.facecolor": "none",
        "figure.facecolor": "none" if for_page else "white",
    }  # fmt: skip
    try:
        with matplotlib.rc_context(settings):
            yield
    finally:
        _for_page.reset(token)


def svg(plot: Plot) -> bytes:
    """Return a plot as an SVG file."""
    return _saved(plot, "svg")


def png(plot: Plot) -> bytes:
    """Return a plot as a PNG file, 200 dots an inch."""
    return _saved(plot, "png")


def inline_svg(plot: Plot) -> str:
    """Return a plot as an element of the page: colours by CSS variables, a title and a description."""
    text = _saved(plot, "svg").decode("utf-8")
    text = text[text.index("<svg") :]
    for number, variable in enumerate(variables()):
        text = text.replace(f"#0a{number:02x}0b", f"var(--{variable})")
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'font: ([0-9.]+)px [^;"]*', r"font-size: \1px", text)
    text = re.sub(r'id="series-(\d+)-[^"]*"', r'class="series-of-\1"', text)
    text = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", text)  # nothing refers to these, and each plot has the same
    heading = (
        f'<title id="{plot.name}-title">{escape(plot.title)}</title>'
        f'<desc id="{plot.name}-text">{escape(plot.description)}</desc>'
    )
    opening = re.compile(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"([^>]*)>|<svg ([^>]*)>', re.DOTALL)
    match = opening.search(text)
    assert match is not None
    attributes = re.sub(r'\s(width|height)="[^"]*"', "", " " + match[0][4:-1].strip())
    labelled = f'role="img" aria-labelledby="{plot.name}-title {plot.name}-text"'
    labelled += f' style="max-width: {plot.figure.get_size_inches()[0] * PIXELS:.0f}px"'
    return f"<svg{attributes} {labelled}>{heading}{text[match.end() :]}"


def _saved(plot: Plot, kind: str) -> bytes:
    """Return the bytes of a figure; identifiers in an SVG are the same each time and unique to the plot."""
    import matplotlib

    stream = io.BytesIO()
    metadata = {"Title": plot.title, "Description": plot.description} | ({"Date": None} if kind == "svg" else {})
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": plot.name}):
        plot.figure.savefig(stream, format=kind, metadata=metadata, bbox_inches="tight", dpi=200)
    return stream.getvalue()
