"""The commands `report` and `compare-runs`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from nqueens_models.bench.changes import change_facts, change_table, changes, sentence
from nqueens_models.bench.store import read
from nqueens_models.bench.summary import Measure, Summary, summarise
from nqueens_models.bench.tables import (
    Table,
    csv_text,
    json_facts,
    markdown,
    markdown_table,
    remarks,
    tables,
    verdict_sentence,
)
from nqueens_models.cli.exits import Exit
from nqueens_models.cli.messages import say
from nqueens_models.cli.options import OUTPUT, AsJson
from nqueens_models.cli.output import plain_where_needed, refuse_existing, result_stream
from nqueens_models.errors import InvalidInput

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of runs that [b]compare[/b] wrote.")]
Measured = Annotated[
    Measure, typer.Option("--measure", help="What ranks and ratios are made of; time is building and solving.")
]
Mix = Annotated[
    bool, typer.Option("--mix", help="Show runs of different machines or versions side by side, marked.")
]
AsMarkdown = Annotated[bool, typer.Option("--markdown", rich_help_panel=OUTPUT, help="Tables in Markdown.")]


def report(
    files: Files,
    measure: Measured = Measure.TIME,
    baseline: Annotated[
        str | None, typer.Option(metavar="CONTENDER", help="Give the ratio to this one, as in [b]cpsat[/b].")
    ] = None,
    mix: Mix = False,
    as_markdown: AsMarkdown = False,
    as_csv: Annotated[bool, typer.Option("--csv", rich_help_panel=OUTPUT, help="One line for each cell.")] = False,
    as_json: AsJson = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", rich_help_panel=OUTPUT, help="One page with everything, for a browser."),
    ] = None,
    plots: Annotated[
        Path | None, typer.Option(metavar="DIR", rich_help_panel=OUTPUT, help="The plots as SVG and PNG.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", rich_help_panel=OUTPUT, help="Overwrite the page if it exists.")
    ] = False,
) -> int:
    """Show what was measured: who is right, who is fast, how sure that is.

    [b]nqueens report runs.jsonl --baseline cpsat[/b] prints tables.
    [b]nqueens report runs.jsonl --html report.html[/b] makes a page with plots.
    """
    if as_markdown + as_csv + as_json > 1:
        raise InvalidInput("give one of --markdown, --csv and --json")
    refuse_existing(html, force)
    if html is not None and html.resolve() in {file.resolve() for file in files}:
        raise InvalidInput(f"the page would replace the runs in {html}")
    plain_where_needed()
    summary = summarise(read(files), measure, baseline, mix)
    if html is not None:
        _write_page(summary, html, force)
    if plots is not None:
        _write_plots(summary, plots)
    if as_markdown:
        print(markdown(summary), end="")
    elif as_csv:
        print(csv_text(summary), end="")
    elif as_json:
        print(json.dumps(json_facts(summary), indent=2))
    elif html is None and plots is None:
        _print_text([summary.title, verdict_sentence(summary), *remarks(summary)], tables(summary))
    sys.stdout.flush()
    return Exit.DONE


def compare_runs(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A file of runs.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="A later one.")],
    threshold: Annotated[
        float, typer.Option(metavar="PART", help="From which change on a cell counts as slower: 0.1 is 10 %.")
    ] = 0.1,
    least: Annotated[
        float, typer.Option(metavar="SECONDS", help="Times below that are never slower: they are noise.")
    ] = 0.001,
    measure: Measured = Measure.TIME,
    everything: Annotated[bool, typer.Option("--all", help="Show what did not change, too.")] = False,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> int:
    """Show what changed between two comparisons; exit status 1 if anything is slower or no longer right.

    A cell is slower if its median grew beyond the threshold and the 95 % intervals have nothing in common.
    """
    if threshold < 0 or least < 0:
        raise InvalidInput("the threshold and the least time must be 0 or more")
    plain_where_needed()
    found = changes(summarise(read([old]), measure), summarise(read([new]), measure), threshold, least)
    conditions = [f"CONDITIONS DIFFER: {found.conditions}"] if found.conditions else []
    table = change_table(found, everything=everything)
    if as_json:
        print(json.dumps(change_facts(found), indent=2))
    elif as_markdown:
        print("\n\n".join([sentence(found), *conditions, *([markdown_table(table)] if table.rows else [])]))
    else:
        _print_text([sentence(found), *conditions], [table] if table.rows else [])
    sys.stdout.flush()
    return Exit.DISAGREEMENT if found.bad else Exit.DONE


def _print_text(lines: Sequence[str], shown: Sequence[Table]) -> None:
    """Print lines and tables as wide as the terminal, or as wide as they are where there is none."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, width=None if terminal else 500, highlight=False)
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    for table in shown:
        drawn = RichTable(title=Text(table.title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        for number, name in enumerate(table.columns):
            drawn.add_column(Text(name), justify="right" if number in table.right else "left", overflow="fold")
        for row in table.rows:
            drawn.add_row(*(Text(cell, style=_style(cell)) for cell in row))
        console.print(drawn)


def _style(cell: str) -> str:
    """Return the colour of what a reader must not miss."""
    first = cell.partition(":")[0]
    alarming = first in ("wrong", "disputed", "failed", "slower", "regressed")
    return "bold red" if alarming else "yellow" if first == "incomplete" else ""


def _write_page(summary: Summary, path: Path, force: bool) -> None:
    from nqueens_models.bench.page import page

    text = page(summary)
    with result_stream(path, force) as stream:
        stream.write(text.encode("utf-8"))
    say(f"{path} is written")


def _write_plots(summary: Summary, folder: Path) -> None:
    from nqueens_models.bench.plots import save

    for path in save(summary, folder):
        say(f"{path} is written")
