"""Files of instances and of solutions, and exports of models.

`instances.INSTANCE_FORMATS` and `solution_formats.SOLUTION_FORMATS` list the formats by name, each with its base;
`instances.read_instance` and `solution_formats.read_solutions` read a file whose format is given or proved by its
content; `solutions_out.writer` writes solutions as they are found. Files are read within limits (source.py), and
what is wrong with them is a FormatError that names the file, the line and the square as the file counts it.
"""

INSTANCE_FORMAT_NAMES = (
    "json", "board", "regions", "region-json", "essence-completion", "essence-blocked", "asp", "dzn", "pycsp3",
    "completion",
)  # fmt: skip
"""The names of `instances.INSTANCE_FORMATS`, for help texts: known without importing any reader."""
