"""`solve` and `count`, in this process and as real processes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import nqueens_models as nq
from tests.cli.conftest import COMMAND, Result, Started, process

Command = Callable[..., Result]


def brute_force(n: int) -> list[tuple[int, ...]]:
    """Return all solutions in order, from the definition of the problem."""
    return [
        p
        for p in permutations(range(n))
        if len({r + c for r, c in enumerate(p)}) == n == len({r - c for r, c in enumerate(p)})
    ]


def rows(text: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, line.split())) for line in text.splitlines()]


@pytest.mark.parametrize("engine", ["bitmask", "cpsat", "sat", "column-sets", "attack-table"])
def test_the_command_of_the_readme_lists_every_solution_in_order(nqueens: Command, engine: str) -> None:
    result = nqueens("solve", 8, "--engine", engine)
    assert rows(result.out) == brute_force(8)
    assert result.status == 0
    assert engine in result.err
    assert "92 solutions, complete" in result.err


@pytest.mark.parametrize(("n", "number"), [(0, 1), (1, 1), (2, 0), (3, 0), (4, 2)])
def test_small_boards(nqueens: Command, n: int, number: int) -> None:
    result = nqueens("solve", n)
    assert len(result.out.splitlines()) == number
    assert nqueens("count", n).out == f"{number}\n"


def test_the_fingerprint_is_the_hash_of_what_solve_prints(nqueens: Command) -> None:
    out = nqueens("solve", 10).out
    assert hashlib.sha256(out.encode()).hexdigest() == nq.solve(10).solutions.fingerprint  # type: ignore[union-attr]


def test_one_based_columns(nqueens: Command) -> None:
    assert nqueens("solve", 4, "--one-based").out == "2 4 1 3\n3 1 4 2\n"


def test_boards(nqueens: Command) -> None:
    assert nqueens("solve", 4, "--limit", 1, "--format", "board").out.split() == [".Q..", "...Q", "Q...", "..Q."]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_unicode_boards_on_any_terminal(encoding: str) -> None:
    result = subprocess.run(
        [*COMMAND, "solve", "4", "--format", "unicode"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=True,
    )
    text = result.stdout.decode(encoding)
    assert text.count("Q" if encoding != "utf-8" else "♛") == 8


def test_json_carries_the_solutions_and_how_the_search_ended(nqueens: Command) -> None:
    document = json.loads(nqueens("solve", 6, "--format", "json").out)
    assert [tuple(columns) for columns in document["solutions"]] == brute_force(6)
    assert (document["termination"], document["complete"], document["count"]) == ("exhausted", True, 4)
    assert document["published"] == {"count": 4, "oeis": "A000170"}


def test_json_lines(nqueens: Command) -> None:
    lines = [json.loads(line) for line in nqueens("solve", 6, "--format", "jsonl").out.splitlines()]
    assert [tuple(line["columns"]) for line in lines[1:-1]] == brute_force(6)
    assert lines[-1]["summary"]["complete"] is True


def test_the_formats_of_other_programs(nqueens: Command) -> None:
    assert nqueens("solve", 4, "--limit", 1, "--format", "fen").out == "1Q2/3Q/Q3/2Q1\n"
    assert (
        nqueens("solve", 4, "--limit", 1, "--format", "asp").out == "queen(1,2) queen(2,4) queen(3,1) queen(4,3)\n"
    )
    assert nqueens("solve", 1, "--format", "sat").out == "s SATISFIABLE\nv 1 0\n"


def test_csv(nqueens: Command) -> None:
    heading, *lines = nqueens("solve", 4, "--format", "csv").out.splitlines()
    assert heading == "row_0,row_1,row_2,row_3"
    assert lines == ["1,3,0,2", "2,0,3,1"]


def test_npy_through_a_pipe_and_a_file(tmp_path: Path) -> None:
    piped = subprocess.run([*COMMAND, "solve", "6", "--format", "npy"], capture_output=True, check=True).stdout
    assert np.load(io.BytesIO(piped)).tolist() == [list(p) for p in brute_force(6)]
    assert process("solve", 6, "--format", "npy", "-o", tmp_path / "all.npy").status == 0
    assert np.load(tmp_path / "all.npy").tolist() == [list(p) for p in brute_force(6)]


def test_fundamental_solutions_and_their_orbits(nqueens: Command) -> None:
    document = json.loads(nqueens("solve", 8, "--fundamental", "--format", "json").out)
    assert len(document["solutions"]) == 12
    assert sum(document["orbit_sizes"]) == 92
    assert nqueens("count", 8, "--fundamental").out == "12\n"


def test_fundamental_solutions_up_to_a_limit(nqueens: Command) -> None:
    result = nqueens("solve", 8, "--fundamental", "--limit", 5)
    assert len(rows(result.out)) == 5
    assert set(rows(result.out)) <= set(brute_force(8))
    assert "stopped at the limit" in result.err


def test_a_limit_that_was_reached_is_done_even_if_nothing_remains(nqueens: Command) -> None:
    result = nqueens("solve", 6, "--limit", 4)
    assert result.status == 0
    assert "stopped at the limit of solutions" in result.err


def test_unsorted_solutions_are_the_same_set(nqueens: Command) -> None:
    assert sorted(rows(nqueens("solve", 7, "--no-sort").out)) == brute_force(7)


def test_quiet_says_nothing(nqueens: Command) -> None:
    assert nqueens("solve", 5, "--quiet").err == ""
    assert nqueens("count", 5, "-q").err == ""


def test_instances_of_the_family_on_the_command_line(nqueens: Command) -> None:
    assert nqueens("count", 5, "--diagonals", "modular").out == "10\n"
    assert nqueens("count", 6, "--diagonals", "adjacent").out == "90\n"
    kept = [p for p in brute_force(8) if p[0] == 3 and p[4] != 1 and p[5] != 2]
    assert rows(nqueens("solve", 8, "--fix", "0:3", "--block", "4:1,5:2").out) == kept


def test_a_count_equal_to_the_published_one_says_so(nqueens: Command) -> None:
    result = nqueens("count", 8)
    assert (result.out, result.status) == ("92\n", 0)
    assert "equal to the published value (OEIS A000170)" in result.err
    assert "A002562" in nqueens("count", 7, "--fundamental").err
    assert "published" not in nqueens("count", 8, "--fix", "0:0").err


def test_a_wrong_count_is_an_error(nqueens: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nqueens_models.known.A000170", (1, 1, 0, 0, 3))
    result = nqueens("count", 4)
    assert result.status == 1
    assert "wrong: OEIS A000170 says 3" in result.err


def test_count_as_json(nqueens: Command) -> None:
    document = json.loads(nqueens("count", 8, "--json").out)
    assert (document["count"], document["termination"], document["complete"]) == (92, "exhausted", True)


BAD = [
    ("solve", "-1"),
    ("solve", "2.5"),
    ("solve", "x"),
    ("solve", ""),
    ("solve", "99999999999999999999"),
    ("solve",),
    ("solve", 8, 9),
    ("solve", 8, "--limit", 0),
    ("solve", 8, "--limit", "x"),
    ("solve", 8, "--timeout", -1),
    ("solve", 8, "--timeout", 0),
    ("solve", 8, "--timeout", "nan"),
    ("solve", 8, "--timeout", "inf"),
    ("solve", 8, "--format", "xml"),
    ("solve", 8, "--engine", "bitmusk"),
    ("solve", 8, "--engine", "sat:solver=glucose99"),
    ("solve", 8, "--engine", "sat:sovler=glucose4"),
    ("solve", 8, "--engine", "sat:solver"),
    ("solve", 8, "--engine", ""),
    ("solve", 8, "--fix", "0"),
    ("solve", 8, "--fix", "8:0"),
    ("solve", 8, "--fix", "0:0", "--block", "0:0"),
    ("solve", 8, "--diagonals", "half"),
    ("solve", 8, "-o", "no/such/folder/file"),
    ("solve", 8, "-o", "."),
    ("count", "-1"),
    ("count", 8, "--timeout", "nan"),
    ("cross-check", "x"),
    ("cross-check", 4, "--engines", "bitmask,nothing"),
    ("engines", "all"),
    ("no-such-command",),
    ("--no-such-option",),
]


@pytest.mark.parametrize("arguments", BAD, ids=lambda arguments: " ".join(map(str, arguments)))
def test_bad_input_is_one_line_and_status_2(nqueens: Command, arguments: tuple[object, ...]) -> None:
    result = nqueens(*arguments)
    assert result.one_line_error().startswith("nqueens: ")
    assert result.status == 2


def test_a_misspelt_name_is_corrected(nqueens: Command) -> None:
    assert "did you mean bitmask?" in nqueens("solve", 8, "--engine", "bitmusk").err
    assert "did you mean glucose4?" in nqueens("solve", 8, "--engine", "sat:solver=glucos4").err


def test_files_are_not_overwritten_without_force(nqueens: Command, tmp_path: Path) -> None:
    target = tmp_path / "solutions.txt"
    target.write_text("precious")
    assert "--force" in nqueens("solve", 6, "-o", target).one_line_error()
    assert target.read_text() == "precious"
    assert nqueens("solve", 6, "-o", target, "--force").status == 0
    assert rows(target.read_text()) == brute_force(6)
    assert [path.name for path in tmp_path.iterdir()] == ["solutions.txt"]


def test_a_file_has_ordinary_permissions(nqueens: Command, tmp_path: Path) -> None:
    nqueens("solve", 4, "-o", tmp_path / "new")
    (tmp_path / "other").write_text("")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(nqueens: Command, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert nqueens("solve", 4, "-o", tmp_path / "new").status == 2


def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, "solve", "8", "-q"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")
@pytest.mark.parametrize("command", ["engines", "solve 4 -q", "count 4 -q", "models", "--help"])
@pytest.mark.parametrize(("output", "reason"), [(">&-", "standard output is closed"), ("> /dev/full", "No space")])
def test_an_output_that_takes_nothing_is_one_line_and_status_2(command: str, output: str, reason: str) -> None:
    if "full" in output and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    line = f"{' '.join(COMMAND)} {command} {output}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert reason.encode() in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX")
def test_a_closed_output_that_is_not_needed(tmp_path: Path) -> None:
    line = f"{' '.join(COMMAND)} solve 6 -q -o {tmp_path / 'six'} >&-"
    assert subprocess.run(["sh", "-c", line], check=False, timeout=60).returncode == 0
    assert len((tmp_path / "six").read_text().splitlines()) == 4  # A000170


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_ends_quietly(unbuffered: str) -> None:
    command = " ".join([*COMMAND, "solve", "11", "-q"])
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["sh", "-c", f"{command} | head -1"], capture_output=True, env=environment, check=False, timeout=60
    )
    assert done.stdout == b"0 2 4 6 8 10 1 3 5 7 9\n"
    assert done.stderr == b""


def test_a_time_limit_keeps_what_was_found_and_exits_3(tmp_path: Path) -> None:
    result = process("solve", 15, "--engine", "column-sets", "--timeout", 1, "--format", "json")
    document = json.loads(result.out)
    assert result.status == 3
    assert (document["termination"], document["complete"]) == ("time-limit", False)
    assert document["count"] == len(document["solutions"]) > 0
    assert all(nq.is_solution(nq.Instance(15), columns) for columns in document["solutions"][:50])
    counted = process("count", 15, "--engine", "column-sets", "--timeout", 1)
    assert counted.status == 3
    assert int(counted.out) > 0


@pytest.mark.parametrize("engine", ["column-sets", "cpsat", "sat"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_prints_what_was_found_and_exits_130(
    start: Callable[..., Started], engine: str, number: int
) -> None:
    started = start("solve", 16, "--engine", engine, "--format", "json", "--search", "plain")
    result = started.interrupt(after=4.0, number=number)
    assert result.status == 130, result.err
    document = json.loads(result.out)
    assert (document["termination"], document["complete"]) == ("interrupted", False)
    assert document["count"] == len(document["solutions"]) > 0
    assert started.group_is_gone()


def test_ctrl_c_leaves_no_file(start: Callable[..., Started], tmp_path: Path) -> None:
    started = start("solve", 16, "--engine", "column-sets", "-o", tmp_path / "all.txt")
    assert started.interrupt(after=2.0).status == 130
    assert list(tmp_path.iterdir()) == []


def test_the_light_engine_imports_no_heavy_library() -> None:
    code = (
        "import sys; from nqueens_models.cli import command_status as run;"
        "assert run(['solve', '8', '-q']) == 0;"
        "heavy = {'ortools', 'pysat', 'numba', 'matplotlib', 'pandas'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_a_missing_solver_says_what_to_install(nqueens: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata

    real = importlib.metadata.version

    def version(package: str) -> str:
        if package == "ortools":
            raise importlib.metadata.PackageNotFoundError(package)
        return real(package)

    monkeypatch.setattr(importlib.metadata, "version", version)
    result = nqueens("solve", 8, "--engine", "cpsat")
    assert "pip install ortools" in result.one_line_error()
    assert result.status == 2
    assert nqueens("solve", 8, "--engine", "sat").status == 0
    assert "not available" in nqueens("engines").out


def test_version_and_help(nqueens: Command) -> None:
    assert nqueens("--version").out == f"nqueens_models {nq.__version__}\n"
    assert "cross-check" in nqueens("--help").out
    for command in ("solve", "count", "cross-check", "engines"):
        result = nqueens(command, "--help")
        assert result.status == 0
        assert "Usage" in result.out


def test_the_three_ways_to_start_are_one() -> None:
    top = Path(nq.__file__).parent.parent
    outputs = {
        subprocess.run([*start, "solve", "5", "-q"], capture_output=True, check=True, cwd=top).stdout
        for start in (
            [sys.executable, "cli.py"],
            [sys.executable, "-m", "nqueens_models"],
            [str(Path(sys.executable).parent / "nqueens")],
        )
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("arguments", [("solve", 10, "-q"), ("count", 6, "-q"), ("engines",), ("--help",)])
def test_a_reader_that_is_gone_has_a_status_of_its_own(arguments: tuple[object, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, *map(str, arguments)], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_full_disk_behind_standard_error_changes_nothing() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, "solve", "6"], stdout=subprocess.PIPE, stderr=full, check=False)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 4)


def test_no_command_shows_the_help(nqueens: Command) -> None:
    result = nqueens()
    assert "cross-check" in result.out + result.err
    assert "nqueens: \n" not in result.err


def test_a_large_board_gives_its_first_solution_by_every_paradigm(nqueens: Command) -> None:
    for engine in ("sat", "cpsat", "bitmask"):
        result = nqueens("solve", 40, "--engine", engine, "--limit", 1)
        (solution,) = rows(result.out)
        assert nq.is_solution(nq.Instance(40), solution), engine


def test_a_complete_list_that_lacks_solutions_is_an_error(nqueens: Command) -> None:
    result = nqueens("solve", 4, "--engine", 'external:command="echo s UNSATISFIABLE"')
    assert (result.status, result.out) == (1, "")
    assert result.err.endswith("wrong: OEIS A000170 says 2\n")
    assert nqueens("solve", 4, "--limit", 1).status == 0


def test_a_number_that_is_too_large_is_called_so(nqueens: Command) -> None:
    assert nqueens("solve", "99999999999").one_line_error().endswith("N must be less than 10**9, not 99999999999")


def test_ctrl_c_that_comes_wrapped(nqueens: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba lets Ctrl-C up as the cause of a SystemError when it comes while machine code is loaded."""

    def loads(*_: object, **__: object) -> None:
        raise SystemError("returned a result with an exception set") from cause

    cause: BaseException | None = KeyboardInterrupt()
    monkeypatch.setattr("nqueens_models.cli.solve.execute_count", loads)
    result = nqueens("count", 6)
    assert (result.status, result.one_line_error()) == (130, "nqueens: interrupted")
    cause = None
    with pytest.raises(SystemError):
        nqueens("count", 6)
