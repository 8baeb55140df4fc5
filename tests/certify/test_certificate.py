"""Certificates: accepted for every instance, rejected when anything in them is altered."""

from __future__ import annotations

import ast
import gzip
import hashlib
import importlib.util
import json
import re
import shutil
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings

from nqueens_models.certify import PROOF_SOLVERS, certify, check, check_certificate, refutation
from nqueens_models.certify.places import FORMULA, MANIFEST, PROOF, SOLUTIONS
from nqueens_models.cubes.pool import WorkerPool
from nqueens_models.engines.base import NO_LIMITS, Limits, Outcome, Visitor
from nqueens_models.engines.recorder import Recorder, conduct
from nqueens_models.errors import EngineError, InvalidInput, InvalidSetting, RejectedCertificate
from nqueens_models.instance import Instance
from nqueens_models.solutions import SolutionSet
from nqueens_models.symmetry import stabiliser
from nqueens_models.testing import CONFORMANCE_INSTANCES
from tests.brute_force import instances, solutions
from tests.models.test_lex_leader import image

Files = dict[str, bytes]


@pytest.mark.parametrize("instance", CONFORMANCE_INSTANCES, ids=str)
def test_every_kind_of_instance_is_certified(instance: Instance, tmp_path: Path) -> None:
    certified = certify(instance, tmp_path)
    assert list(certified.solutions) == solutions(instance)
    assert check_certificate(tmp_path) == certified


@given(instances(max_n=5))
@settings(max_examples=30)
def test_any_instance_is_certified(tmp_path_factory: pytest.TempPathFactory, instance: Instance) -> None:
    assert list(certify(instance, tmp_path_factory.mktemp("c")).solutions) == solutions(instance)


@pytest.mark.parametrize("solver", PROOF_SOLVERS)
def test_proofs_of_every_solver(solver: str, tmp_path: Path) -> None:
    certified = certify(Instance(8), tmp_path, solver=solver)
    assert len(certified.solutions) == 92  # A000170
    assert certified.made_by["solver"] == solver


def test_other_solvers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="writes no proof"):
        certify(Instance(4), tmp_path, solver="minisat22")


def test_long_proofs_are_checked_by_the_compiled_checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = certify(Instance(8), tmp_path)
    monkeypatch.setattr(check, "PLAIN_STEPS", 0)
    monkeypatch.delattr(refutation, "check_refutation")
    assert check_certificate(tmp_path) == plain


@dataclass(frozen=True)
class Forgetful:
    """An engine that loses one solution and says that it lost none."""

    name: ClassVar[str] = "forgetful"
    requires: ClassVar[tuple[str, ...]] = ()

    def enumerate(self, instance: Instance, visit: Visitor, limits: Limits = NO_LIMITS) -> Outcome:
        def search(recorder: Recorder) -> None:
            recorder.solutions(np.array(solutions(instance)[:-1]))

        return conduct(search, instance, visit, limits)


def test_a_list_that_lacks_a_solution_has_no_certificate(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"lacks this one:\n\.\.Q\.\nQ\.\.\.\n\.\.\.Q\n\.Q\.\.$"):
        certify(Instance(4), tmp_path, engine=Forgetful())


def test_a_solver_that_is_deaf_for_long_refutes_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools: list[WorkerPool] = []

    class Watched(WorkerPool):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            pools.append(self)

    monkeypatch.setattr("nqueens_models.engines.oracle.ENDURED", {})
    monkeypatch.setattr("nqueens_models.certify.certificate.WorkerPool", Watched)
    assert len(certify(Instance(6), tmp_path, solver="lingeling").solutions) == 4  # A000170
    assert len(pools) == 1
    with pytest.raises(EngineError, match=r"lacks this one:\n\.\.Q\.\nQ\.\.\.\n\.\.\.Q\n\.Q\.\.$"):
        certify(Instance(4), tmp_path, engine=Forgetful(), solver="lingeling")


@pytest.mark.parametrize("module", ["check", "compiled_rup", "consequences", "orbits", "refutation"])
def test_the_checker_shares_nothing_with_the_encoder_or_with_symmetry(module: str) -> None:
    spec = importlib.util.find_spec(f"nqueens_models.certify.{module}")
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text("utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in imported if name.startswith(("nqueens_models.models", "nqueens_models.symmetry"))]


def test_ctrl_c_waits_while_a_pool_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of `submit` it would leave a lock taken, for which the end of the pool waits for ever."""
    answers: list[Future[Any]] = []

    class Interrupted(WorkerPool):
        def submit(self, *arguments: Any, **settings: Any) -> Future[Any]:
            signal.raise_signal(signal.SIGINT)
            answers.append(super().submit(*arguments, **settings))
            return answers[0]

    monkeypatch.setattr("nqueens_models.engines.oracle.ENDURED", {})
    monkeypatch.setattr("nqueens_models.certify.certificate.WorkerPool", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        certify(Instance(6), tmp_path, solver="lingeling")
    assert len(answers) == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("eight")
    certify(Instance(8), folder)
    return folder


def sealed(folder: Path) -> None:
    """Write sizes and hashes of the files as they are now into the manifest, as a careful forger would."""
    path = folder / MANIFEST
    manifest = json.loads(path.read_text())
    for name in manifest["files"]:
        content = (folder / name).read_bytes()
        manifest["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    listed = (folder / SOLUTIONS).read_bytes().splitlines(keepends=True)
    manifest["listed"] = manifest["solutions"] = len(listed)
    manifest["fingerprint"] = hashlib.sha256(b"".join(sorted(listed))).hexdigest()
    if manifest["symmetry_breaking"]:
        placements = [tuple(map(int, line.split())) for line in listed]
        every = SolutionSet(
            8, [image(symmetry, one) for symmetry in stabiliser(Instance(8)) for one in placements]
        )
        manifest["solutions"], manifest["fingerprint"] = len(every), every.fingerprint
    path.write_text(json.dumps(manifest))


def lines(edit: Callable[[list[bytes]], Sequence[bytes]]) -> Callable[[bytes], bytes]:
    """Return the edit of a file that makes this edit of its lines."""
    return lambda content: b"".join(edit(content.splitlines(keepends=True)))


def without(number: int) -> Callable[[bytes], bytes]:
    return lines(lambda all_lines: all_lines[:number] + all_lines[number + 1 :])


def with_line(number: int, line: bytes) -> Callable[[bytes], bytes]:
    return lines(lambda all_lines: [*all_lines[:number], line, *all_lines[number:]])


def replaced(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def edit(content: bytes) -> bytes:
        assert old in content
        return content.replace(old, new, 1)

    return edit


def shorter_header(edit: Callable[[bytes], bytes], by: int) -> Callable[[bytes], bytes]:
    """Return the edit with the number of clauses in the header put right."""

    def put_right(content: bytes) -> bytes:
        header = re.search(rb"p cnf (\d+) (\d+)", content)
        assert header is not None
        return edit(content).replace(header[0], b"p cnf %d %d" % (int(header[1]), int(header[2]) - by))

    return put_right


FIRST = b"0 4 7 5 2 6 1 3\n"  # the first solution of n = 8 in lexicographic order
BLOCKING = b"-1 -13 -24 -30 -35 -47 -50 -60 0\n"  # the clause that blocks it

FORGED = {
    "a solution is missing": (SOLUTIONS, without(0), "formula.cnf: clause 745 neither follows"),
    "a solution comes twice": (SOLUTIONS, with_line(1, FIRST), "line 2: the placement is that of line 1"),
    "a placement breaks a rule": (SOLUTIONS, replaced(FIRST, b"0 4 7 5 2 6 3 1\n"), "line 1: .* breaks"),
    "a placement is added": (SOLUTIONS, with_line(0, b"0 1 2 3 4 5 6 7\n"), "line 1: .* falling diagonal"),
    "a placement is short": (SOLUTIONS, replaced(FIRST, FIRST[:-3] + b"\n"), "line 1: .* on the board"),
    "a placement is no placement": (SOLUTIONS, replaced(b"0 4", b"0  4"), "line 1: this is no placement"),
    "the list is cut off": (SOLUTIONS, lambda content: content[:-1], "line 92: the last line is cut off"),
    "a blocking clause is missing": (
        FORMULA, shorter_header(replaced(BLOCKING, b""), 1), "solutions.txt, line 1: no clause"),
    "a blocking clause blocks more": (
        FORMULA, replaced(BLOCKING, b"-1 -13 -24 -30 -35 -47 -50 0\n"), "clause 745 neither follows"),
    "a clause is added": (FORMULA, shorter_header(lambda content: content + b"-1 0\n", -1), "837 neither"),
    "the empty clause is added": (
        FORMULA, shorter_header(lambda content: content + b"0\n", -1), "clause 837 neither"),
    "a square is taken from a row": (FORMULA, replaced(b"1 2 3 4 ", b"2 3 4 "), "clause 1 neither"),
    "the formula is packed": (FORMULA, gzip.compress, "formula.cnf is packed"),
    "a variable is added": (FORMULA, replaced(b"p cnf 64", b"p cnf 65"), "65 variables, not one a square"),
    "the formula is no DIMACS": (FORMULA, replaced(b"p cnf", b"p dnf"), "formula.cnf, line 12: the header"),
    "a clause of the rules is missing": (FORMULA, shorter_header(without(12), 1), "proof.drat"),
    "the proof is empty": (PROOF, lambda _: b"", "proof.drat: it ends before a contradiction"),
    "the proof is only its end": (PROOF, lambda _: b"0\n", "proof.drat, line 1: the clause does not follow"),
    "the proof is cut off": (PROOF, lines(lambda all_lines: all_lines[:300]), "ends before a contradiction"),
    "a step of the proof is altered": (PROOF, with_line(0, b"1 0\n"), "line 1: the clause does not follow"),
    "a step of the proof is none": (PROOF, with_line(3, b"1 2\n"), "proof.drat, line 4: no step"),
    "a step deletes what is not there": (PROOF, with_line(2, b"d 1 2 0\n"), "line 3: a clause is deleted"),
    "the proof has a new variable": (PROOF, with_line(0, b"65 1 0\n"), "line 1: literal 65 is beyond"),
    "the proof starts with its second half": (
        PROOF, lines(lambda all_lines: all_lines[400:]), "proof.drat, line"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "edit", "reason"), FORGED.values(), ids=FORGED)
def test_a_forged_certificate_is_rejected(
    eight: Path, tmp_path: Path, file: str, edit: Callable[[bytes], bytes], reason: str
) -> None:
    rejected(shutil.copytree(eight, tmp_path / "forged"), {file: edit}, reason)


def rejected(folder: Path, edits: dict[str, Callable[[bytes], bytes]], reason: str) -> None:
    """Edit files of a certificate; it has to be rejected, also if the manifest describes the files as they are."""
    for file, edit in edits.items():
        path = folder / file
        before = path.read_bytes()
        path.write_bytes(edit(before))
        assert path.read_bytes() != before
    with pytest.raises(RejectedCertificate, match=r"is not the file that manifest\.json describes"):
        check_certificate(folder)
    sealed(folder)
    with pytest.raises(RejectedCertificate, match=reason):
        check_certificate(folder)


def other(**parts: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda manifest: {**manifest, **parts}


BOARD = Instance(8).to_dict()
MANIFESTS = {
    "another instance": (other(instance=Instance(8, blocked=[(0, 0)]).to_dict()), "line 1: .* blocked square"),
    "a smaller board": (other(instance=Instance(7).to_dict()), "solutions.txt, line 1"),
    "a weaker rule": (other(instance=Instance(8, "adjacent").to_dict()), "neither follows"),
    "more placements": (other(listed=93), "speaks of 93 placements, 92 are listed"),
    "symmetry that is not there": (other(symmetry_breaking=True), "symmetries.json cannot be read"),
    "more solutions": (other(solutions=93), "speaks of 93 solutions, not 92"),
    "another set": (other(fingerprint="0" * 64), "the fingerprint of another set"),
    "another format": (other(format="certificate"), "not of the format"),
    "a later version": (other(version=2), "version 2; this checker knows 1"),
    "no instance": (other(instance=None), "does not say 'instance'"),
    "a true number": (other(solutions=True), "does not say 'solutions'"),
    "a board of a billion rows": (other(instance=Instance(10**9).to_dict()), "64 variables, not one a square"),
    "a board of no size": (other(instance={**BOARD, "n": -8}), "holds no instance"),
    "an instance with more to say": (other(instance={**BOARD, "more": 1}), "canonical form"),
    "no hashes": (other(files={}), "is not the file"),
    "a list": (lambda manifest: list(manifest), "not of the format"),
}


@pytest.mark.parametrize(("edit", "reason"), MANIFESTS.values(), ids=MANIFESTS)
def test_a_forged_manifest_is_rejected(
    eight: Path, tmp_path: Path, edit: Callable[[dict[str, Any]], Any], reason: str
) -> None:
    folder = shutil.copytree(eight, tmp_path / "forged")
    path = folder / MANIFEST
    path.write_text(json.dumps(edit(json.loads(path.read_text()))))
    with pytest.raises(RejectedCertificate, match=reason):
        check_certificate(folder)


def test_a_manifest_that_is_no_json_is_rejected(eight: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(eight, tmp_path / "forged")
    for text in ("", "{", "\xff", "[" * 100_000):
        (folder / MANIFEST).write_text(text, encoding="latin-1")
        with pytest.raises(RejectedCertificate, match=r"manifest\.json is no JSON"):
            check_certificate(folder)


def test_a_missing_file_is_rejected_and_a_missing_certificate_is_none(eight: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(eight, tmp_path / "forged")
    (folder / PROOF).unlink()
    with pytest.raises(RejectedCertificate, match=r"proof\.drat cannot be read"):
        check_certificate(folder)
    with pytest.raises(InvalidInput, match="holds no certificate"):
        check_certificate(tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_a_byte_that_changed_is_noticed(eight: Path, tmp_path: Path, seed: int) -> None:
    folder = shutil.copytree(eight, tmp_path / "damaged")
    random = np.random.default_rng(seed)
    path = folder / (SOLUTIONS, FORMULA, PROOF)[seed % 3]
    content = bytearray(path.read_bytes())
    content[random.integers(len(content))] ^= 1 << random.integers(8)
    path.write_bytes(content)
    with pytest.raises(RejectedCertificate):
        check_certificate(folder)
