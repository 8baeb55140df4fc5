"""Claim: listing into shards takes a fraction of the memory of one file, and about as much processor time.

    python benchmarks/shards.py [--size 16] [--format npy]

Each line is a command as a user gives it, start-up of Python included: seconds, and the largest sum of the
resident memory (RSS) of its processes, looked at 50 times a second. Everything was compiled before.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from side_by_side import environment

COMMAND = [sys.executable, "-m", "nqueens_models"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="16")
    parser.add_argument("--format", default="npy", choices=["npy", "parquet"])
    arguments = parser.parse_args()
    size, files = arguments.size, arguments.format
    print(environment(["numba", "numpy", *(["polars"] if files == "parquet" else [])]) + "\n")
    print("| command | seconds | peak RSS, MiB |\n|---|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        solve, one, two, file = (
            ["solve", size, "--format", files],
            f"{folder}/1/",
            f"{folder}/2/",
            f"{folder}/a.npy",
        )
        report([*solve, "-o", f"{folder}/0/"], "")  # compiles
        if files == "npy":
            report([*solve, "-o", file], "solve to one file")
        report([*solve, "-o", one], "solve to shards, 1 worker")
        report([*solve, "-o", two, "--workers", "2"], "solve to shards, 2 workers")
        report(["verify", one], "verify")
        report(["verify", "--complete", one], "")
        report(["verify", "--complete", one], "verify --complete")


def report(arguments: list[str], label: str) -> None:
    """Run a command to the end, and print its line if it has a label."""
    seconds, peak = measured([*COMMAND, *arguments])
    if label:
        print(f"| {label} | {seconds:.1f} | {peak / 2**20:.0f} |", flush=True)


def measured(command: list[str]) -> tuple[float, int]:
    """Return the seconds of a command, and the most bytes that its processes had at a time."""
    started, peak = time.perf_counter(), 0
    with Path("/dev/null").open("wb") as nowhere:
        process = psutil.Popen(command, stdout=nowhere, stderr=subprocess.PIPE)
        while process.poll() is None:
            peak = max(peak, resident(process))
            time.sleep(0.02)
    if process.returncode:
        raise SystemExit(process.stderr.read().decode())
    return time.perf_counter() - started, peak


def resident(process: psutil.Popen) -> int:
    """Return the resident memory of a process and its descendants."""
    total = 0
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    for one in family:
        try:
            total += one.memory_info().rss
        except psutil.Error:
            continue
    return total


if __name__ == "__main__":
    main()
