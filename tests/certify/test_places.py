"""Certificates as archives: the same as folders, read without being extracted."""

from __future__ import annotations

import shutil
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from nqueens_models.certify import certify, check_certificate, places
from nqueens_models.errors import InvalidInput, RejectedCertificate
from nqueens_models.instance import Instance

Members = list[tuple[str, bytes]]


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("six") / "six.zip"
    certify(Instance(6), path)
    return path


def test_an_archive_holds_what_the_folder_does(six: Path, tmp_path: Path) -> None:
    for breaking in (False, True):
        folder, archive = tmp_path / f"folder{breaking}", tmp_path / f"archive{breaking}.zip"
        folder.mkdir()
        assert certify(Instance(6), folder, symmetry_breaking=breaking) == certify(
            Instance(6), archive, symmetry_breaking=breaking
        )
        with zipfile.ZipFile(archive) as opened:
            assert opened.testzip() is None
            assert {member.date_time[0] for member in opened.infolist()} == {1980}, "no clock"
            assert {name: opened.read(name) for name in opened.namelist()} == {
                path.name: path.read_bytes() for path in folder.iterdir()
            }
    assert (tmp_path / "archiveFalse.zip").read_bytes() == six.read_bytes(), "the same bytes, wherever it is made"


def test_an_archive_that_another_tool_makes_of_the_folder(six: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(six, tmp_path / "six")
    again = shutil.make_archive(str(tmp_path / "again"), "zip", tmp_path / "six")
    assert check_certificate(Path(again)) == check_certificate(six)


def repacked(six: Path, target: Path, edit: Callable[[Members], Members]) -> Path:
    with zipfile.ZipFile(six) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that come twice
        for name, content in edit(members):
            archive.writestr(name, content)
    return target


def with_content(name: str, content: bytes) -> Callable[[Members], Members]:
    return lambda members: [(one, content if one == name else before) for one, before in members]


REPACKED: dict[str, tuple[Callable[[Members], Members], str]] = {
    "a path that leads out": (lambda members: [*members, ("../../outside", b"x")], "'../../outside'"),
    "an absolute path": (lambda members: [*members, ("/tmp/outside", b"x")], "no certificate has: '/tmp/outside'"),
    "a folder": (lambda members: [(f"six/{name}", content) for name, content in members], "'six/README.txt'"),
    "one file more": (lambda members: [*members, ("more.txt", b"")], "no certificate has: 'more.txt'"),
    "a file twice": (lambda members: [*members, members[0]], "two members of the same name"),
    "no proof": (lambda members: [one for one in members if one[0] != "proof.drat"], "proof.drat cannot be read"),
    "no manifest": (lambda members: members[:-1], "manifest.json cannot be read"),
    "nothing": (lambda members: [], "manifest.json cannot be read"),
    "an empty proof": (with_content("proof.drat", b""), "proof.drat is not the file that manifest.json "),
    "another README": (
        with_content("README.txt", b"no"),
        "README.txt is not the file that manifest.json describes",
    ),
}


@pytest.mark.parametrize(("edit", "reason"), REPACKED.values(), ids=REPACKED)
def test_an_archive_that_is_altered_is_rejected(
    six: Path, tmp_path: Path, edit: Callable[[Members], Members], reason: str
) -> None:
    path = repacked(six, tmp_path / "altered.zip", edit)
    with pytest.raises(RejectedCertificate, match=reason):
        check_certificate(path)
    assert [one.name for one in tmp_path.iterdir()] == ["altered.zip"], "nothing is extracted"


def test_a_byte_that_changed_in_what_is_packed_is_noticed(six: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(six) as archive:
        members = archive.infolist()
    for member in members:
        start = member.header_offset + 30 + len(member.filename)  # where its local header ends
        for place in (0, member.compress_size // 2):
            path, content = tmp_path / "damaged.zip", bytearray(six.read_bytes())
            content[start + place] ^= 0x55
            path.write_bytes(content)
            with pytest.raises(RejectedCertificate):
                check_certificate(path)


def test_what_is_no_archive_is_rejected(six: Path, tmp_path: Path) -> None:
    path = tmp_path / "none.zip"
    for content in (b"", b"PK", six.read_bytes()[:-30], six.read_bytes()[:1000], b"text\n"):
        path.write_bytes(content)
        with pytest.raises(RejectedCertificate, match="no ZIP archive"):
            check_certificate(path)
    with pytest.raises(InvalidInput, match="holds no certificate"):
        check_certificate(tmp_path / "missing.zip")


def test_a_member_that_unpacks_to_too_much_is_rejected(
    six: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "LARGEST", 50_000)
    bomb = repacked(six, tmp_path / "bomb.zip", with_content("proof.drat", b"0" * 10_000_000))
    assert bomb.stat().st_size < 50_000
    with pytest.raises(RejectedCertificate, match=r"proof\.drat is too large: more than 50000 bytes"):
        check_certificate(bomb)
    shutil.unpack_archive(bomb, tmp_path / "bomb")
    with pytest.raises(RejectedCertificate, match=r"proof\.drat is too large"):
        check_certificate(tmp_path / "bomb")


def test_a_member_that_is_encrypted_or_packed_in_an_unknown_way_is_rejected(six: Path, tmp_path: Path) -> None:
    path, content = tmp_path / "odd.zip", six.read_bytes()
    with zipfile.ZipFile(six) as archive:
        directory = archive.start_dir
    for offset, value in ((8, 1), (10, 99)):  # flags, and how it is packed
        odd = bytearray(content)
        for start in _entries(content, directory):
            odd[start + offset] = value
        path.write_bytes(odd)
        with pytest.raises(RejectedCertificate, match=r"manifest\.json cannot be unpacked"):
            check_certificate(path)


def _entries(content: bytes, start: int) -> list[int]:
    """Return where the entries of the central directory start."""
    found = []
    while (start := content.find(b"PK\x01\x02", start)) >= 0:
        found.append(start)
        start += 4
    return found
