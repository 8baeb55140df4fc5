"""The plots of a comparison: from a Summary to figures, each with the words that say what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from nqueens_models.bench.records import Case, Goal, MeasuredRun
from nqueens_models.bench.style import PHASES, Plot, colour, drawing, look, png, svg
from nqueens_models.bench.summary import Cell, Measure, Summary
from nqueens_models.bench.tables import growth_per_queen, scaling_points, seconds_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 8.4  # inches
WIDE = 8  # the ratio of sizes from which they are on a logarithmic scale
SHORTEST = 1e-3  # seconds of solving from which solutions over time say anything


def plots(summary: Summary) -> list[Plot]:
    """Return all plots that the summary has data for; call within `drawing`."""
    found: list[Plot | None] = [scaling(summary, group) for group in summary.groups]
    found += [cactus(summary), scatter(summary), *over_time(summary), phases(summary)]
    found += [model_size(summary, group) for group in summary.groups]
    return [plot for plot in found if plot is not None]


def save(summary: Summary, folder: Path) -> list[Path]:
    """Write all plots into a folder as SVG and PNG; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with drawing():
        for plot in plots(summary):
            for ending, data in (("svg", svg(plot)), ("png", png(plot))):
                path = folder / f"{plot.name}.{ending}"
                path.write_bytes(data)
                written.append(path)
    return written


def scaling(summary: Summary, group: str) -> Plot | None:
    """Draw the time against n on a logarithmic scale, with intervals and the factor of growth."""
    curves = {c: _sized(summary, group, c) for c in summary.contenders}
    curves = {contender: cells for contender, cells in curves.items() if len({c.case.n for c in cells}) > 1}
    if not curves:
        return None
    figure, axes = _figure(height=4.6)
    words = []
    for contender, cells in curves.items():
        points = scaling_points(summary, group, contender)
        factor = growth_per_queen(points)
        name = contender if factor is None else f"{contender}  ×{factor:.2f}"
        _with_intervals(axes, summary, contender, cells, name)
        words.append(_range_text(contender, cells, factor))
    axes.set_yscale("log")
    axes.set(xlabel="n, the number of queens", ylabel="building and solving, median")
    _sizes_axis(axes, [cell.case.n for cells in curves.values() for cell in cells])
    _time_axis(axes.yaxis)
    _legend(figure, axes)
    title = f"Time against n: {group}"
    text = (
        "Logarithmic scale; bars are 95 % intervals, over all cases where several have one n; × is the growth per "
        "queen. " + "; ".join(words) + "."
    )
    return Plot(f"scaling-{_slug(group)}", title, text, figure)


def _sized(summary: Summary, group: str, contender: str) -> list[Cell]:
    """Return the ranked cells of a contender in a group, by n."""
    cells = [c for c in summary.cells if c.case.group == group and c.contender == contender and c.rank is not None]
    return sorted((c for c in cells if _time(c) > 0), key=lambda cell: cell.case.n)


def _time(cell: Cell) -> float:
    return cell.estimates[Measure.TIME].median if Measure.TIME in cell.estimates else 0.0


def _with_intervals(axes: Axes, summary: Summary, contender: str, cells: Sequence[Cell], name: str) -> None:
    style = _style(summary, contender)
    sizes = sorted({cell.case.n for cell in cells})
    estimates = [[cell.estimates[Measure.TIME] for cell in cells if cell.case.n == n] for n in sizes]
    medians = [median(one.median for one in same) for same in estimates]
    below = [max(0.0, m - min(one.low for one in same)) for m, same in zip(medians, estimates, strict=True)]
    above = [max(0.0, max(one.high for one in same) - m) for m, same in zip(medians, estimates, strict=True)]
    bars = axes.errorbar(
        sizes, medians, yerr=[below, above], label=name, capsize=2, elinewidth=1,
        color=style.colour, marker=style.marker, linestyle=style.dashes,
    )  # fmt: skip
    for artist in (bars.lines[0], *bars.lines[1], *bars.lines[2]):
        artist.set_gid(_gid(summary, contender))


def _range_text(contender: str, cells: Sequence[Cell], factor: float | None) -> str:
    first, last = cells[0], cells[-1]
    grows = "" if factor is None else f", growing by {factor:.2f}"
    return (
        f"{contender}: {seconds_text(_time(first))} at n={first.case.n} to {seconds_text(_time(last))} "
        f"at n={last.case.n}{grows}"
    )


def cactus(summary: Summary) -> Plot | None:
    """Draw how many cases each contender solves if each may take up to a time."""
    solved = {
        contender: sorted(
            _time(c) for c in summary.cells if c.contender == contender and c.solved and _time(c) > 0
        )
        for contender in summary.contenders
    }
    solved = {contender: times for contender, times in solved.items() if times}
    if len(summary.cases) < 3 or not solved:
        return None
    figure, axes = _figure(height=4.4)
    for contender, times in solved.items():
        style = _style(summary, contender)
        (line,) = axes.plot(
            range(1, len(times) + 1), times, color=style.colour, marker=style.marker, linestyle=style.dashes,
            label=f"{contender}  ({len(times)})",
        )  # fmt: skip
        line.set_gid(_gid(summary, contender))
    axes.set_yscale("log")
    axes.set(xlabel=f"cases solved, of {len(summary.cases)}", ylabel="within, each")
    _integers(axes)
    _time_axis(axes.yaxis)
    _legend(figure, axes)
    words = [f"{c} solves {len(t)}, the slowest in {seconds_text(t[-1])}" for c, t in solved.items()]
    text = "Further right is more cases, lower is faster. " + "; ".join(words) + "."
    return Plot("cactus", "Cases solved within a time", text, figure)


def scatter_pair(summary: Summary) -> tuple[str, str] | None:
    """Return two contenders to hold against each other: the baseline or the best, the next of another engine."""
    names = [standing.contender for standing in summary.standings if standing.solved]
    if summary.baseline in names:
        names.insert(0, names.pop(names.index(summary.baseline)))
    others = [name for name in names[1:] if _engine(name) != _engine(names[0])] or names[1:]
    return (names[0], others[0]) if others else None


def _engine(contender: str) -> str:
    return contender.partition(" ")[0].partition(":")[0]


def scatter(summary: Summary, pair: tuple[str, str] | None = None) -> Plot | None:
    """Draw two contenders against each other, a point for each case both were given; the limit is at the edge."""
    chosen = pair or scatter_pair(summary)
    if chosen is None:
        return None
    left, right = chosen
    cells = {(c.case.name, c.contender): c for c in summary.cells}
    both = [(cells[n, left], cells[n, right]) for n in _names(summary) if {(n, left), (n, right)} <= cells.keys()]
    points = [(a.case.group, _or_limit(a), _or_limit(b)) for a, b in both if a.solved or b.solved]
    if len(points) < 3:
        return None
    figure, axes = _figure(width=6.4, height=4.8)
    for number, group in enumerate(dict.fromkeys(group for group, _, _ in points)):
        style = look(number)
        own = [(x, y) for kind, x, y in points if kind == group]
        axes.scatter(*zip(*own, strict=True), color=style.colour, marker=style.marker, label=group, s=34, zorder=3)
    ends = [min(min(p[1:]) for p in points) / 2, max(max(p[1:]) for p in points) * 2]
    for factor, dashes in ((1.0, "-"), (10.0, ":"), (0.1, ":")):
        axes.plot(ends, [e * factor for e in ends], color=colour("muted"), linestyle=dashes, linewidth=0.9)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel=left, ylabel=right)
    _time_axis(axes.xaxis)
    _time_axis(axes.yaxis)
    _legend(figure, axes)
    faster = sum(x < y for _, x, y in points)
    text = (
        f"A point is a case; what was not solved stands at its time limit. Above the line {left} is faster: in "
        f"{faster} of {len(points)} cases. Dotted lines: ten times as fast."
    )
    return Plot("scatter", f"{left} against {right}", text, figure)


def _names(summary: Summary) -> list[str]:
    return [case.name for case in summary.cases]


def _or_limit(cell: Cell) -> float:
    return max(_time(cell), 1e-7) if cell.solved else cell.allowance.seconds


def over_time(summary: Summary) -> Iterator[Plot]:
    """Draw solutions over time on the largest case that several list: absolute, and as parts of the whole."""
    candidates = [case for case in summary.cases if case.goal is Goal.LIST and case.solutions is None]
    for case in sorted(candidates, key=lambda case: -case.n):
        sampled = [(cell.contender, _sampled_run(cell)) for cell in summary.cells if cell.case.name == case.name]
        runs = {contender: run for contender, run in sampled if run is not None}
        if len(runs) > 1:
            yield _over_time(summary, case, runs)
            return


def _sampled_run(cell: Cell) -> MeasuredRun | None:
    """Return the run of median length, if it is right and has samples enough."""
    runs = [run for run in cell.runs if len(run.samples) > 3 and run.samples[-1][0] >= SHORTEST]
    if cell.rank is None or not runs:
        return None
    return sorted(runs, key=lambda run: run.samples[-1][0])[len(runs) // 2]


def _over_time(summary: Summary, case: Case, runs: dict[str, MeasuredRun]) -> Plot:
    figure, (absolute, relative) = _figure(height=4.2, columns=2)
    words = []
    for contender, run in runs.items():
        style = _style(summary, contender)
        times, found = (list(column) for column in zip(*run.samples, strict=True))
        for axes, x, y in (
            (absolute, times, found),
            (relative, [100 * t / times[-1] for t in times], [100 * f / found[-1] for f in found]),
        ):
            (line,) = axes.plot(
                x, y, color=style.colour, linestyle=style.dashes, label=contender,
                marker=style.marker, markevery=max(1, len(x) // 6),
            )  # fmt: skip
            line.set_gid(_gid(summary, contender))
        half = next(100 * t / times[-1] for t, f in run.samples if 2 * f >= found[-1])
        words.append(f"{contender} has half of them after {half:.0f} % of its {seconds_text(times[-1])}")
    absolute.set(xscale="log", xlabel="building and solving", ylabel="solutions")
    absolute.set_title("Solutions over time")
    _time_axis(absolute.xaxis)
    relative.axline((0, 0), (100, 100), color=colour("muted"), linewidth=0.9, linestyle=":")
    relative.set(xlabel="% of its own time", ylabel="% of the solutions")
    relative.set_title("Slow-down")
    _legend(figure, absolute)
    text = (
        "Left: absolute, time logarithmic. Right: each on its own scale; a curve above the dotted line slows down "
        "as solutions pile up. " + "; ".join(words) + "."
    )
    return Plot("over-time", f"Solutions over time: {case.name}", text, figure)


def phases(summary: Summary) -> Plot | None:
    """Draw the parts of the life of a process, on the largest case that most contenders solve."""
    case = max(summary.cases, key=lambda case: (len(_solvers(summary, case)), case.n))
    cells = _solvers(summary, case)
    if not cells:
        return None
    figure, axes = _figure(height=1.4 + 0.36 * len(cells))
    names = [cell.contender for cell in cells]
    left = [0.0] * len(cells)
    for number, phase in enumerate(PHASES):
        widths = [_median_phase(cell, phase) for cell in cells]
        axes.barh(
            names, widths, left=left, color=colour(f"phase-{number}"), label=phase.replace("_", "-"), height=0.66
        )
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.invert_yaxis()
    axes.set(xlabel="seconds, medians")
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
    _legend(figure, axes)
    words = [
        f"{cell.contender}: {', '.join(f'{p} {seconds_text(_median_phase(cell, p))}' for p in PHASES)}"
        for cell in cells
    ]
    title = f"Where the time of a process goes: {case.name}"
    return Plot("phases", title, "; ".join(words).replace("warm_up", "warm-up") + ".", figure)


def _solvers(summary: Summary, case: Case) -> list[Cell]:
    return [cell for cell in summary.cells if cell.case.name == case.name and cell.rank is not None]


def _median_phase(cell: Cell, phase: str) -> float:
    values = sorted(getattr(run.seconds, phase) or 0.0 for run in cell.runs)
    return values[len(values) // 2]


SIZES: tuple[tuple[str, Callable[[Cell], int | None]], ...] = (
    ("variables", lambda cell: cell.statistics.get("variables")),
    ("clauses or constraints", lambda cell: cell.statistics.get("clauses", cell.statistics.get("constraints"))),
)


def model_size(summary: Summary, group: str) -> Plot | None:
    """Draw the number of variables and of clauses against n: what an encoding costs before anything is solved."""
    cells = [c for c in summary.cells if c.case.group == group and "variables" in c.statistics]
    cells = [c for c in cells if "cubes" not in c.statistics]  # these are sums over many models
    contenders = [c for c in summary.contenders if len({x.case.n for x in cells if x.contender == c}) > 1]
    if not contenders:
        return None
    figure, panels = _figure(height=4.2, columns=2)
    for axes, (what, size) in zip(panels, SIZES, strict=True):
        for contender in contenders:
            style = _style(summary, contender)
            own = sorted((c.case.n, size(c) or 0) for c in cells if c.contender == contender)
            (line,) = axes.plot(
                [n for n, _ in own], [number for _, number in own], color=style.colour, linestyle=style.dashes,
                marker=style.marker, label=contender,
            )  # fmt: skip
            line.set_gid(_gid(summary, contender))
        axes.set_yscale("log")
        axes.set(xlabel="n, the number of queens")
        axes.set_title(what.capitalize())
        _number_axis(axes.yaxis)
        _sizes_axis(axes, [c.case.n for c in cells])
    _legend(figure, panels[0])
    largest = max(c.case.n for c in cells)
    words = [
        f"{c.contender}: {c.statistics['variables']} variables, {SIZES[1][1](c)} clauses or constraints"
        for c in cells
        if c.case.n == largest and c.contender in contenders
    ]
    text = f"At n={largest}: " + "; ".join(words) + "."
    return Plot(f"model-{_slug(group)}", f"Size of the model: {group}", text, figure)


def _figure(width: float = WIDTH, height: float = 4.0, columns: int = 1) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, columns)


def _legend(figure: Figure, axes: Axes) -> None:
    """Put the names under the plot, in as many columns as fit."""
    handles, labels = axes.get_legend_handles_labels()
    longest = max(len(label) for label in labels)
    columns = max(1, min(len(labels), int(figure.get_size_inches()[0] * 12 / (longest + 6))))
    figure.legend(handles, labels, loc="outside lower left", ncols=columns, columnspacing=1.6)


def _integers(axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12))


def _sizes_axis(axes: Axes, sizes: Sequence[int]) -> None:
    """Scale an axis of board sizes: logarithmically if they span much."""
    if max(sizes) < WIDE * max(1, min(sizes)):
        _integers(axes)
        return
    axes.set_xscale("log")
    _number_axis(axes.xaxis)


def _time_axis(axis: Any) -> None:
    """Label an axis with times people read: 10 ms, not 1e-2."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: _tick(value)))
    axis.set_minor_formatter(NullFormatter())


def _number_axis(axis: Any) -> None:
    """Label a logarithmic axis with plain numbers: 100, 200, 500."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", " ")))
    axis.set_minor_formatter(NullFormatter())


def _tick(seconds: float) -> str:
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 0.9995:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _style(summary: Summary, contender: str) -> Any:
    return look(summary.contenders.index(contender))


def _gid(summary: Summary, contender: str) -> str:
    return f"series-{summary.contenders.index(contender)}-line"


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
