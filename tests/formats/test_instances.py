"""Every instance format: what it writes is read back, what FORMATS lists is read, what is wrong is named."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from nqueens_models.errors import FormatError, InvalidSetting, UnsupportedInstance
from nqueens_models.formats import instance_json
from nqueens_models.formats.base import InstanceFormat, Part, parts_of
from nqueens_models.formats.instances import INSTANCE_FORMATS, instance_format, read_instance
from nqueens_models.formats.source import LARGEST_N, Source
from nqueens_models.instance import Diagonals, Instance
from tests.brute_force import instances

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent.parent / "data/instances.json").read_text())
FORMATS = pytest.mark.parametrize("one", INSTANCE_FORMATS.values(), ids=INSTANCE_FORMATS.keys())


def of_case(case: dict[str, Any]) -> Instance:
    return Instance(case["n"], case["diagonals"], case["fixed"], case["blocked"], case["regions"])


def read(text: str, name: str | None = None) -> Instance:
    return read_instance(Source.of_text(text, "file"), name)


def can_carry(one: InstanceFormat, instance: Instance) -> bool:
    parts = parts_of(instance)
    return not parts & ~one.parts and not one.always & ~parts and instance.n >= one.smallest


def without_what_is_lost(one: InstanceFormat, instance: Instance) -> Instance:
    diagonals = instance.diagonals if Part.MODULAR in one.parts else "adjacent" if one.always else "full"
    return Instance(
        instance.n,
        diagonals,
        instance.fixed if Part.FIXED in one.parts else (),
        instance.blocked if Part.BLOCKED in one.parts else (),
        instance.regions if Part.REGIONS in one.parts else None,
    )


@FORMATS
def test_every_case_is_read_back_equal(one: InstanceFormat) -> None:
    carried = 0
    for case in CASES:
        instance = of_case(case)
        if can_carry(one, instance):
            carried += 1
            assert one.read(Source.of_text(one.write(instance))) == instance, case["name"]
        else:
            with pytest.raises(UnsupportedInstance, match=f"the format {one.name} "):
                one.write(instance)
    assert carried


@FORMATS
@given(instance=instances(max_n=7))
@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_round_trip(one: InstanceFormat, instance: Instance) -> None:
    reduced = without_what_is_lost(one, instance)
    assume(can_carry(one, reduced))
    text = one.write(reduced)
    assert one.read(Source.of_text(text)) == reduced
    assert one.claims(text) or instance.n == 1, text


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
@FORMATS
def test_a_format_that_is_recognised_is_the_right_one(one: InstanceFormat, case: dict[str, Any]) -> None:
    instance = of_case(case)
    if not can_carry(one, instance):
        return
    if instance.n >= 5:
        assert read(one.write(instance)) == instance
    else:  # never a guess: two formats with different meanings are both named
        with contextlib.suppress(FormatError):
            assert read(one.write(instance)) == instance


def test_large_boards_are_read_back() -> None:
    regions = [[(row + column) % 70 for column in range(70)] for row in range(70)]
    instance = Instance(70, "adjacent", regions=regions)
    for name in ("regions", "region-json", "json"):
        assert read(INSTANCE_FORMATS[name].write(instance), name) == instance
    completion = Instance(2045, fixed=[(row, (row * 7) % 2045) for row in range(0, 2045, 3)])
    for name in ("completion", "essence-completion", "asp", "board"):
        assert read(INSTANCE_FORMATS[name].write(completion), name) == completion


KNOWN = {
    "essence-blocked": ("letting n =  4\nletting blocks =  [[1,1],[2,2],\n   [4,3]]\n", 1),
    "dzn": ("n = 4;m = 3;row = [1,2,4];col = [1,2,3];", 1),
    "asp": ("board(4). block(1,1). block(2,2).\nblock(4,3).", 1),
    "pycsp3": ('{"n":4,"blocks":[[0,0],[1,1],[3,2]]}', 0),
    "board": ("*...\n.*..\n....\n..*.\n", 0),
    "json": ('{"n": 4, "blocked": [[0, 0], [1, 1], [3, 2]]}', 0),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_same_blocked_board_in_every_format(name: str) -> None:
    """The first sample of the ASP competition of 2009, in the words of each format."""
    text, base = KNOWN[name]
    wanted = Instance(4, blocked=[(0, 0), (1, 1), (3, 2)])
    assert read(text, name) == read(text) == wanted
    assert INSTANCE_FORMATS[name].base == base


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("letting n = 8\nletting init = [[3, 3], [5, 0]]", Instance(8, fixed=[(3, 3), (5, 0)])),
        ("language ESSENCE' 1.0\n$ a comment\nletting n be 8 letting init be [[3,3;int(1..2)],[5,0]; int(1..2)]",
         Instance(8, fixed=[(3, 3), (5, 0)])),
        ("8 4 4 6 1", Instance(8, fixed=[(3, 3), (5, 0)])),
        ("8\n", Instance(8)),
        ("num(1). num(2). num(3). num(4). % four\nblock(1,1).\n", Instance(4, blocked=[(0, 0)])),
        ("num(1..5). queen(1,2).", Instance(5, fixed=[(0, 1)])),
        ("letting n = 0\nletting init = []", Instance(0)),
        ("n = 3; m = 0; row = []; col = []", Instance(3)),
        ("....Q\n.x...\n..#..\n.....\n_-._*", Instance(5, fixed=[(0, 4)], blocked=[(1, 1), (2, 2), (4, 4)])),
        (". . . . .\n. Q . . .\n. . . . *\n. . . . .\n\n. . . . .\n",
         Instance(5, fixed=[(1, 1)], blocked=[(2, 4)])),
    ],
)  # fmt: skip
def test_texts_that_people_have(text: str, wanted: Instance) -> None:
    assert read(text) == wanted


ROWS = ["AAB", "ACB", "CCC"]
PUZZLE = Instance(3, "adjacent", regions=ROWS)
WITH_QUEEN = Instance(3, "adjacent", fixed=[(0, 2)], regions=ROWS)


LEVEL = """
import { red, blue } from '../colors';

const level647: Level = {
  size: 3, // rows
  colorRegions: [
    ["A", "A", "B"],
    ["A", "C", "B"],
    ["C", "C", "C"],
  ],
  regionColors: { A: red, B: blue, C: colors.green },
  solutionsCount: 1,
} as const;

export default level647;
"""


@pytest.mark.parametrize(
    "text",
    [
        "AAB\nACB\nCCC\n",
        "# a comment\nAAB\nACB\nCCC",
        "AAB|ACB|CCC",
        "A A B\nA C B\nC C C",
        "10 10 11\n10 7 11\n7 7 7",
        "##b\n#.b\n...",
        '{"size": 3, "regions": ["AAB", "ACB", "CCC"], "solution": [[0, 0]]}',
        '{"gridSize": 3, "regionGrid": [[0,0,1],[0,2,1],[2,2,2]]}',
        '{"data": [{"gamePuzzle": {"gridSize": 3, "colorGrid": '
        '[{"colors": [0,0,1]}, {"colors": [0,2,1]}, {"colors": [2,2,2]}]}}]}',
        "[[0,0,1],[0,2,1],[2,2,2]]",
        "{size: 3, colorRegions: [['A', 'A', 'B',], ['A', 'C', 'B'], /* last */ ['C', 'C', 'C'],],}",
        LEVEL,
        "export default { boardSize: 3, regions: [[RED, RED, BLUE], [RED, GREY, BLUE], [GREY, GREY, GREY]] };",
        "module.exports = [[1,1,-2],[1,3,-2],[3,3,3]];",
        "const a = {}; const puzzle = {regionGrid: ['aab', `acb`, \"ccc\"]};",
    ],
)
def test_regions_that_people_have(text: str) -> None:
    assert read(text) == PUZZLE


@pytest.mark.parametrize("queens", ["queens: [[0, 2]]", "initialQueens: [{row: 0, col: 2}]", "fixed: [[0,2],]"])
def test_regions_with_a_queen_already_placed(queens: str) -> None:
    assert read("{regions: ['AAB', 'ACB', 'CCC'], " + queens + "}") == WITH_QUEEN


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ('{"n": 3, "regions": ["AAB", "ACB", "CCC"]}', ["json (0-based)", "region-json (0-based)"]),
        ("Q.\n.Q", ["board (0-based)", "regions (0-based)"]),
        ("***\n.QQ\n..Q", ["board (0-based)", "regions (0-based)"]),
    ],
)
def test_a_text_with_two_meanings_is_not_guessed(text: str, candidates: list[str]) -> None:
    with pytest.raises(FormatError, match="name the format") as raised:
        read(text)
    assert all(candidate in str(raised.value) for candidate in candidates)
    assert all(isinstance(read(text, candidate.split()[0]), Instance) for candidate in candidates)


WRONG = [
    ("json", '{"n": 4, "blocked": [[0, 4]]}', r"blocked square \(0, 4\) .* from 0 to 3"),
    ("json", '{"n": 4, "fixed": [[1, 1]], "blocked": [[1, 1]]}', r"\(1, 1\) is both"),
    ("json", '{"n": 4, "n": 5}', "'n' comes twice"),
    ("json", '{"n": NaN}', "NaN is not JSON"),
    ("json", '{"n": 1e999}', "too large"),
    ("json", '{"n": 2.5}', "whole number, not 2.5"),
    ("json", '{"n": true}', "whole number, not true"),
    ("json", '{"n": "8"}', "whole number, not '8'"),
    ("json", '{"n": -1}', "0 or more"),
    ("json", '{"n": 100000000000}', "more than 100000"),
    ("json", '{"n": 9999999999999999999999}', "too large"),
    ("json", '{"n": 4,\n "fixed": [[1 2]]}', "line 2: not JSON"),
    ("json", '{"n": 4, "block": []}', "no key 'block'"),
    ("json", '{"diagonals": "full"}', "no 'n'"),
    ("json", '{"n": 4, "diagonals": "none"}', "full, modular, adjacent"),
    ("json", '{"n": 4, "diagonals": ["full"]}', "full, modular, adjacent"),
    ("json", '{"n": 4, "format": "x"}', "format is 'x'"),
    ("json", '{"n": 4, "version": 2}', "version 2"),
    ("json", '{"n": 4, "fixed": [[1, 2, 3]]}', r"pairs .* not \[1, 2, 3\]"),
    ("json", '{"n": 4, "fixed": [{"row": 1, "col": 2}]}', "not an object"),
    ("json", '{"n": 4, "fixed": 3}', "list of squares"),
    ("json", '{"n": 2, "regions": ["AB", "A"]}', "row 1 of 'regions'"),
    ("json", '{"n": 2, "regions": ["AB", "BA", "AA"]}', "3 rows on a board of 2"),
    ("json", '{"n": 2, "regions": ["AA", "AA"]}', "1 regions on a board that needs 2"),
    ("json", '{"n": 2, "regions": [[0, 1.5], [0, 0]]}', "label 1.5"),
    ("json", '{"n": 2, "regions": [4, 5]}', "must be a list or a text"),
    ("json", '{"n": 2, "regions": "AABB"}', "must be a list of rows"),
    ("json", "[" * 100_000, "nested too deeply|not JSON"),
    ("json", "[]", "object in braces"),
    ("pycsp3", '{"blocks": []}', "no 'n'"),
    ("pycsp3", '{"n": 4, "blocks": [[4, 0]]}', r"\(4, 0\)"),
    ("essence-blocked", "letting n = 4 letting blocks = [[1,1],\n[0,3]]", r"line 2: .* \(0, 3\).*from 1 to 4"),
    ("essence-completion", "letting n = 4\nletting init = [[4,1]]", r"line 2: fixed queen \(4, 1\).*from 0 to 3"),
    ("essence-blocked", "letting n = 4\nletting init = [[1,1]]", "'init' is unknown here; there are n and blocks"),
    ("essence-blocked", "letting n = 4\nletting n = 5", "line 2: 'n' comes twice"),
    ("essence-blocked", "letting blocks = [[1,1]]", "no 'letting n'"),
    ("essence-blocked", "letting n = 4 letting blocks = [[1,1]", "'\\]' expected, not the end"),
    ("essence-blocked", "letting n = 4 letting blocks = [[1,1,1]]", "expected, not ','"),
    ("essence-blocked", "letting n = 100000000000", "more than 100000"),
    ("essence-blocked", "letting n = x", "n expected, not 'x'"),
    ("essence-blocked", "letting 4 = n", "a name expected"),
    ("essence-blocked", "given n", "'letting' expected"),
    ("dzn", "n = 4; m = 2; row = [1]; col = [1];", "m = 2, but row has 1 and col 1"),
    ("dzn", "n = 4; row = [1,\n2]; col = [1,5];", r"line 2: blocked square \(2, 5\)"),
    ("dzn", "n = 4; n = 5;", "comes twice"),
    ("dzn", "n = 4; k = 5;", "'k' is unknown"),
    ("dzn", "m = 0;", "no 'n'"),
    ("dzn", "n = 4 m = 0", "';' expected"),
    ("asp", "board(4).\nblock(0,1).", r"line 2: blocked square \(0, 1\)"),
    ("asp", "board(4). block(1,1). queen(1,1).", r"\(1, 1\) is both"),
    ("asp", "num(1). num(3).", r"num\(2\) is missing"),
    ("asp", "num(1..1000000000).", "more than 100000"),
    ("asp", "board(4). board(5).", "two sizes, 4 and 5"),
    ("asp", "block(1,1).", "neither board"),
    ("asp", "board(4). size(4).", "no fact 'size'"),
    ("asp", "board(4). block(X,Y) :- p.", "an argument expected, not 'X'"),
    ("completion", "8 1 1 2", "pairs of a row and a column"),
    ("completion", "8 1 1\n8 2 2", "2 boards"),
    ("completion", "8 1 0", r"fixed queen \(1, 0\).*from 1 to 8"),
    ("completion", "8 a 0", "whole number, not 'a'"),
    ("completion", "99999999999999", "too large"),
    ("board", "...\n..\n...", "line 2: 2 squares in a row, but 3"),
    ("board", "...\n...", "2 rows of 3"),
    ("board", "...\n.X.\n...", "line 2: 'X' is no sign"),
    ("board", "." * 1_000_000, "1 rows of 1000000"),
    ("regions", "AAB\nAAB\nAA", "line 3: 2 squares"),
    ("regions", "AAB\nAAB\nAAB", "2 regions on a board that needs 3"),
    ("regions", "# nothing\n", "there is no row"),
    ("region-json", "{regions: ['AB', 'A']}", "row 1 of 'regions'"),
    ("region-json", "{size: 3, regions: ['AB', 'AB']}", "'size' is 3, but 'regions' has 2"),
    ("region-json", "{\n\nregions: ['AB' 'AB']}", "line 3: .* is not understood"),
    ("region-json", "{\nregions: ['AB', 'AB'", "is missing|is not understood"),
    ("region-json", "{regions: [[0,,1],[1,1]]}", "two commas"),
    ("region-json", "{regions: ['AB', 'AB'],\n regions: ['AB', 'AB']}", "line 2: the key 'regions' comes twice"),
    ("region-json", "{regions: ['AB', 'AB'], colorGrid: ['AB', 'AB']}", "two matrices"),
    ("region-json", "[{regions: ['AB', 'AB']}, {regions: ['AB', 'AB']}]", "2 puzzles"),
    ("region-json", "{regions: ['AB', 'AB'], queens: [[0, 2]]}", r"fixed queen \(0, 2\)"),
    ("region-json", "{regions: [[0,1] [1,1]]}", "no matrix"),
    ("region-json", "{regions: Array(2).fill(0)}", "no matrix"),
    ("region-json", "{regions: [[f(1), 1], [1, 1]]}", r"label 'f\(1\)'"),
    ("region-json", "{regions: [[1.5, 1], [1, 1]]}", "label '1.5'"),
    ("region-json", "{a:" * 100_000, "brackets inside each other"),
    ("region-json", "\n" + "[" * 100, "line 2: more than"),
    ("region-json", " " + "[1]," * 400_000, "larger than 1 MiB"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "message"), WRONG, ids=lambda value: value[:30].replace("\n", "~"))
def test_what_is_wrong_is_named(name: str, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        read(text, name)
    assert str(raised.value).startswith("file: ")
    assert len(str(raised.value)) < 300
    assert "\n" not in str(raised.value)


def test_candidates_that_all_fail_are_all_explained() -> None:
    with pytest.raises(FormatError, match=r"as board: line 3: .*; as regions: line 3: "):
        read("*..\n...\n..")


def test_a_text_of_no_format() -> None:
    with pytest.raises(FormatError, match=r"no instance format is recognised; name one of json, "):
        read("what is this?!;")
    with pytest.raises(InvalidSetting, match="'xml'; there are json, "):
        instance_format("xml")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b" \r\n\t\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"n = 4;\n\x00\x01", "line 2: a binary file"),
        (b"\x89PNG\r\n\x1a\n\x00", "line 1: neither UTF-8"),
        (b"letting n = 4\n$ caf\xe9\n", "line 2: neither UTF-8"),
    ],
)
def test_files_that_are_no_text(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_instance(Source("file", data))


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", " \t\n\n"])
def test_line_ends_and_byte_order_marks(name: str, encoding: str, end: str) -> None:
    text = KNOWN[name][0].replace("\n", end) + end
    assert read_instance(Source("file", text.encode(encoding))) == Instance(4, blocked=[(0, 0), (1, 1), (3, 2)])


@pytest.mark.parametrize(
    "junk", ["[", "1 ", "a", "{", "(1,", "A|", "[1,1],", "#", '"', "letting n = 1\n", "{a:1},", ".\n", "#\n"]
)
def test_megabytes_of_one_line_end_in_an_error(junk: str) -> None:
    with pytest.raises(FormatError):
        read(junk * (2_000_000 // len(junk)))


def test_files_are_read_within_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("8 4 4 6 1")
    assert read_instance(Source.of_file(path)) == Instance(8, fixed=[(3, 3), (5, 0)])
    with pytest.raises(FormatError, match="larger than"):
        Source.of_file(path, limit=8)
    with pytest.raises(FormatError, match="No such file"):
        Source.of_file(tmp_path / "none")
    with pytest.raises(FormatError, match="directory"):
        Source.of_file(tmp_path)


def test_writers_say_what_they_cannot_carry() -> None:
    instance = Instance(4, "modular", fixed=[(0, 1)], blocked=[(1, 1)])
    with pytest.raises(UnsupportedInstance, match="completion cannot carry blocked squares, modular diagonals"):
        INSTANCE_FORMATS["completion"].write(instance)
    with pytest.raises(UnsupportedInstance, match="for instances with regions, adjacent diagonals"):
        INSTANCE_FORMATS["regions"].write(Instance(4))
    with pytest.raises(UnsupportedInstance, match="board of 0 rows"):
        INSTANCE_FORMATS["board"].write(Instance(0))


def test_the_schema_has_the_keys_that_are_read_and_written() -> None:
    schema = json.loads((Path(instance_json.__file__).parent / "instance.schema.json").read_text())
    assert set(schema["properties"]) == set(instance_json.KEYS)
    assert set(Instance(4).to_dict()) == set(instance_json.KEYS) - set(instance_json.NOTES)
    assert schema["properties"]["n"]["maximum"] == LARGEST_N
    assert schema["properties"]["version"]["const"] == Instance(4).to_dict()["version"]
    assert schema["properties"]["format"]["const"] == Instance(4).to_dict()["format"]
    assert schema["properties"]["diagonals"]["enum"] == list(Diagonals)
