"""Where a certificate is kept: a folder, or a ZIP archive that holds its files and nothing else.

An archive is read member by member and never extracted, so that names in it lead nowhere.
"""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from nqueens_models.errors import InvalidInput, RejectedCertificate

MANIFEST, README = "manifest.json", "README.txt"
SOLUTIONS, FORMULA, PROOF, SYMMETRIES = "solutions.txt", "formula.cnf", "proof.drat", "symmetries.json"
NAMES = {MANIFEST, README, SOLUTIONS, FORMULA, PROOF, SYMMETRIES}
LARGEST = 1 << 30
"""Bytes that a file of a certificate may have, unpacked."""
EPOCH = (1980, 1, 1, 0, 0, 0)  # so that equal certificates make equal archives
Read = Callable[[str], bytes]


@contextmanager
def opened(place: Path) -> Iterator[Read]:
    """Give the function that reads a file of the certificate in a folder or an archive.

    It raises RejectedCertificate for a file that is missing, damaged or too large. Raises InvalidInput if there is
    no certificate, RejectedCertificate for an archive that is none or holds other files besides.
    """
    if not place.is_file():
        if not (place / MANIFEST).is_file():
            raise InvalidInput(f"{place} holds no certificate: there is no {MANIFEST}")
        yield lambda name: _file(place / name, name)
        return
    try:
        archive = zipfile.ZipFile(place)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise RejectedCertificate(f"{place} is no ZIP archive, or a damaged one: {error}") from error
    with archive:
        members = archive.namelist()
        if others := sorted(set(members) - NAMES):
            raise RejectedCertificate(f"the archive has a member that no certificate has: {others[0]!r}")
        if len(set(members)) < len(members):
            raise RejectedCertificate("the archive has two members of the same name")
        yield lambda name: _member(archive, name)


def _file(path: Path, name: str) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise RejectedCertificate(f"{name} is too large: more than {LARGEST} bytes")
        return path.read_bytes()
    except OSError as error:
        raise RejectedCertificate(f"{name} cannot be read: {error.strerror}") from error


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with archive.open(name) as stream:
            content = stream.read(LARGEST + 1)
    except KeyError:
        raise RejectedCertificate(f"{name} cannot be read: the archive has no such member") from None
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError) as error:
        raise RejectedCertificate(f"{name} cannot be unpacked: {error}") from error
    if len(content) > LARGEST:
        raise RejectedCertificate(f"{name} is too large: more than {LARGEST} bytes")
    return content


def is_archive(place: Path) -> bool:
    """Whether a certificate at this place is an archive and not a folder."""
    return place.suffix.lower() == ".zip"


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a certificate into a folder that exists."""
    for name, content in files.items():
        (folder / name).write_bytes(content)


def write_archive(path: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a certificate as a ZIP archive, the same bytes for the same files."""
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o644 << 16
            archive.writestr(member, content)
