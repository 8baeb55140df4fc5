"""The commands `convert`, `show`, `verify` and `generate`, as a user calls them."""

from __future__ import annotations

import json
import os
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from nqueens_models.errors import UnsupportedInstance
from nqueens_models.formats.instances import INSTANCE_FORMATS
from nqueens_models.instance import Instance
from tests.cli.conftest import COMMAND, Result, process

Command = Callable[..., Result]
ROWS = json.loads((Path(__file__).parent.parent / "data" / "instances.json").read_text())
PARTS = ("n", "diagonals", "fixed", "blocked", "regions")
PUZZLE = "BBBCA\nBBBCA\nDDBCC\nDDCCC\nDEECC\n"
LEVEL = "const level = {size: 5, colorRegions: [" + ",".join(str(list(row)) for row in PUZZLE.split()) + ",]};\n"


@pytest.mark.parametrize("name", INSTANCE_FORMATS)
def test_every_instance_is_converted_and_counted_in_every_format_that_carries_it(
    nqueens: Command, tmp_path: Path, name: str
) -> None:
    for row in ROWS:
        instance = Instance(*(row[part] for part in PARTS))
        source, target = tmp_path / f"{row['name']}.in", tmp_path / f"{row['name']}.out"
        source.write_text(instance.canonical_json())
        result = nqueens("convert", source, target, "--to", name)
        if result.status:
            with pytest.raises(UnsupportedInstance) as refusal:
                INSTANCE_FORMATS[name].write(instance)
            assert result.one_line_error() == f"nqueens: {refusal.value}"
            assert result.status == 2
            assert not target.exists()
            continue
        assert result == Result(0, "", "")
        assert (
            nqueens("convert", target, "-", "--from", name, "--to", "json").out == instance.canonical_json() + "\n"
        )
        assert nqueens("count", "-i", target, "--from", name, "-q").out == f"{row['solutions']}\n"


def test_nothing_is_overwritten_without_force(nqueens: Command, tmp_path: Path) -> None:
    target = tmp_path / "board.dzn"
    target.write_text("precious")
    source = tmp_path / "board.txt"
    source.write_text("*...\n....\n....\n....\n")
    for arguments in (
        ("convert", source, target, "--to", "dzn"),
        ("show", source, "-o", target),
        ("generate", "blocked", 4, "--squares", 1, "-o", target),
    ):
        assert "--force" in nqueens(*arguments).one_line_error()
        assert target.read_text() == "precious"
        assert nqueens(*arguments, "--force").status == 0
        assert target.read_text() != "precious"
        target.write_text("precious")


def test_solutions_are_converted_in_a_pipe() -> None:
    solutions = process("solve", 5, "-q").out
    command = [*COMMAND, "convert", "-", "-", "--solutions", "--to"]
    as_fen = subprocess.run([*command, "fen"], input=solutions.encode(), capture_output=True, check=True).stdout
    assert as_fen.startswith(b"Q4/2Q2/4Q/1Q3/3Q1\n")
    back = subprocess.run([*command, "columns-1"], input=as_fen, capture_output=True, check=True).stdout
    assert back.decode() == process("solve", 5, "-q", "--one-based").out


def test_solutions_that_need_an_instance(nqueens: Command, tmp_path: Path) -> None:
    file = tmp_path / "solver.out"
    file.write_text("s SATISFIABLE\nv 2 8 9 15 17 0\n")
    assert "name the instance" in nqueens("convert", file, "-", "--solutions", "--to", "json").one_line_error()
    result = nqueens("convert", file, "-", "--solutions", "--to", "json", "--instance", 4)
    assert json.loads(result.out)["solutions"] == [[1, 3, 0, 2]]


@pytest.mark.parametrize("text", [PUZZLE, json.dumps({"size": 5, "regions": PUZZLE.split()}), LEVEL])
def test_a_region_puzzle_is_solved_drawn_and_found_not_unique(nqueens: Command, tmp_path: Path, text: str) -> None:
    puzzle, solutions = tmp_path / "puzzle", tmp_path / "solutions"
    puzzle.write_text(text)
    solutions.write_text(nqueens("solve", "-i", puzzle, "-q").out)
    assert len(solutions.read_text().splitlines()) == 3
    drawn = nqueens("show", puzzle, solutions, "--style", "colour").out
    assert drawn.count("\N{WHITE CHESS QUEEN}") == 15
    assert drawn.count("\N{ESCAPE}[") > 75
    assert nqueens("show", puzzle, "--style", "text").out.count("+") > 10
    document = nqueens("show", puzzle, solutions, "--number", 2, "--style", "svg").out
    assert len([g for g in ET.fromstring(document).iter() if "transform" in g.attrib]) == 5
    assert "one board, not 3" in nqueens("show", puzzle, solutions, "--style", "svg").one_line_error()
    assert "no solution 4: the file has 3" in nqueens("show", puzzle, solutions, "--number", 4).one_line_error()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_show_uses_what_the_encoding_has(encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run([*COMMAND, "show", "2"], capture_output=True, env=environment, check=True)
    wanted = "  0 1\n0 · ·\n1 · ·\n\n" if encoding == "utf-8" else "  0 1\n0 . .\n1 . .\n\n"
    assert done.stdout.decode(encoding) == wanted


SOLUTIONS = ["2 4 6 1 3 5", "3 6 2 5 1 4", "4 1 5 2 6 3", "5 3 1 6 4 2"]


def test_a_right_and_complete_list(nqueens: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("\n".join(SOLUTIONS))
    for engine in ("bitmask", "sat"):
        result = nqueens("verify", 6, file, "--complete", "--engine", engine)
        assert result.status == 0
        assert result.out == (
            "4 answers (rows and columns counted from 1), 4 distinct solutions, 0 wrong, 0 repeated, 0 missing\n"
        )


def test_what_is_wrong_with_a_list(nqueens: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("\n".join([SOLUTIONS[0], "2 4 6 1 3 3", SOLUTIONS[2], SOLUTIONS[0]]))
    result = nqueens("verify", 6, file, "--complete")
    assert result.status == 1
    assert result.err == ""
    lines = result.out.splitlines()
    assert lines[:4] == [
        "answer 2 (line 2): the queens on (3, 6) and (6, 3) share a rising diagonal",
        "answer 2 (line 2): the queens on (4, 1) and (6, 3) share a falling diagonal",
        "answer 2 (line 2): the queens on (5, 3) and (6, 3) share a column",
        "answer 4 (line 4): the same as answer 1 (line 1)",
    ]
    assert [line[9:] for line in lines if line.startswith("missing: ")] == [SOLUTIONS[1], SOLUTIONS[3]]
    assert lines[-1].endswith("2 distinct solutions, 1 wrong, 1 repeated, 2 missing")
    facts = json.loads(nqueens("verify", 6, file, "--complete", "--json").out)
    assert facts["missing"] == [[int(c) for c in SOLUTIONS[i].split()] for i in (1, 3)]
    assert [fault["squares"] for fault in facts["faults"]] == [
        [[3, 6], [6, 3]],
        [[4, 1], [6, 3]],
        [[5, 3], [6, 3]],
    ]
    assert facts["duplicates"] == [{"answer": 4, "line": 4, "first_answer": 1, "first_line": 1}]
    assert not facts["right"]


def test_faults_against_an_instance_file(nqueens: Command, tmp_path: Path) -> None:
    board = tmp_path / "board.lp"
    board.write_text("board(4). block(3,1). queen(1,3).")
    file = tmp_path / "answers"
    file.write_text("Answer: 1\nqueen(1,2) queen(2,4) queen(3,1) queen(4,3)\nSATISFIABLE\n")
    assert nqueens("verify", board, file).out.splitlines()[:2] == [
        "answer 1 (line 2): the queen on (3, 1) stands on a blocked square",
        "answer 1 (line 2): no queen on (1, 3), where one is fixed",
    ]


def test_a_search_that_does_not_end_says_nothing_of_missing_ones(nqueens: Command, tmp_path: Path) -> None:
    file = tmp_path / "none.txt"
    file.write_text("")
    result = nqueens(
        "verify", 15, file, "--format", "columns", "--complete", "--engine", "sat", "--timeout", "0.5"
    )
    assert result.status == 3
    assert "whether any is missing is not known" in result.err
    assert "missing" not in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("verify", 6, "none.txt"), "none.txt: No such file"),
        (("verify", "none.json", "none.txt"), "none.json: No such file"),
        (("show", "none.json"), "No such file"),
        (("convert", "none.json", "-", "--to", "xml"), "no instance format is called 'xml'"),
        (("convert", "none.json", "-", "--solutions", "--to", "xml"), "no solution format is called 'xml'"),
        (("convert", "none.json", "no/folder/x", "--to", "json"), "no folder"),
        (("generate", "regions", 3), "no region puzzle of 3 rows"),
        (("generate", "completion", 8, "--queens", 9), "cannot have 9 queens"),
        (("generate", "completion", 8), "Missing option '--queens'"),
        (("generate", "blocked", 8, "--squares", 70), "at most 56"),
        (("generate", "regions", 6, "--format", "dzn"), "dzn cannot carry regions"),
        (("generate", "regions", 6, "--unique", "--engine", "magic"), "no engine is called 'magic'"),
        (("generate", "regions", "x"), "'N'"),
        (("generate", "regions", 6, "--seed", "-1"), "seed must be 0 or more"),
    ],
)
def test_bad_input_is_one_line(nqueens: Command, arguments: tuple[object, ...], message: str) -> None:
    result = nqueens(*arguments)
    assert message in result.one_line_error()
    assert result.status == 2


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("completion", 10, "--queens", 3), {"n": 10, "diagonals": "full", "blocked": [], "regions": None}),
        (("modular", 11, "--queens", 2), {"n": 11, "diagonals": "modular", "blocked": [], "regions": None}),
        (("blocked", 9, "--squares", 20), {"n": 9, "diagonals": "full", "fixed": [], "regions": None}),
        (("regions", 6), {"n": 6, "diagonals": "adjacent", "fixed": [], "blocked": []}),
    ],
)
def test_generated_instances_are_the_same_for_a_seed(
    nqueens: Command, arguments: tuple[object, ...], parts: dict[str, object]
) -> None:
    first, again, other = (nqueens("generate", *arguments, "--seed", seed).out for seed in (4, 4, 5))
    assert first == again != other
    assert parts.items() <= json.loads(first).items()


def test_a_unique_puzzle_has_one_solution(nqueens: Command, tmp_path: Path) -> None:
    file = tmp_path / "puzzle.txt"
    assert nqueens("generate", "regions", 7, "--unique", "-f", "regions", "-o", file).status == 0
    assert nqueens("count", "-i", file, "-q").out == "1\n"


def test_files_need_no_heavy_library() -> None:
    code = (
        "import sys; from nqueens_models.cli import command_status; command_status(['show', '4']);"
        "heavy = ('ortools', 'pysat', 'numba', 'tree_sitter', 'drawsvg');"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([COMMAND[0], "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"
