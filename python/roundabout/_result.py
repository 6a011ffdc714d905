"""What a verb answers: rows of columns with units."""

import importlib
import json
import sqlite3
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

from ._errors import Failed

Row = Dict[str, Any]

# Names of columns that were others in the last release (docs/formats.md).
_OLD_NAMES = {
    "source": "place",
    "decision": "own",
    "decision_s": "own_s",
    "decision_segment_bytes": "own_segment",
    "best": "choice",
    "best_algorithm": "algorithm",
    "best_radix": "radix",
    "best_segment_bytes": "segment",
    "best_s": "time_s",
    "segment_bytes": "segment",
    "default_s": "own_s",
    "faster": "gain",
    "system": "place",
    "ranks_per_node": "ppn",
    "choice_plan": "algorithm",
    "plan": "algorithm",
    "predicted_s": "time_s",
    "choice_segment_bytes": "segment",
    "choice_predicted_s": "time_s",
    "choice_low_s": "low_s",
    "choice_high_s": "high_s",
    "default": "own",
    "default_plan": "own_algorithm",
    "default_predicted_s": "own_s",
    "default_low_s": "own_low_s",
    "default_high_s": "own_high_s",
    "default_over_choice": "gain",
    "ratio": "gain",
    "mean_ratio": "mean_gain",
    "worst_ratio": "worst_gain",
    "mended_mean_ratio": "mended_mean_gain",
    "mended_worst_ratio": "mended_worst_gain",
    "algorithm": "choice",
    "n": "blocks",
    "time_low_s": "low_s",
    "time_high_s": "high_s",
    "runner_up": "next_best",
    "runner_up_n": "next_best_blocks",
    "runner_up_s": "next_best_s",
    "rival": "next_best",
    "rival_s": "next_best_s",
    "speedup": "lead",
    "best_n": "best_blocks",
    "fastest_n": "fastest_blocks",
}


class _Row(Dict[str, Any]):
    """A row in which a column is found by its old name, too."""

    def __missing__(self, name: str) -> Any:
        if name not in _OLD_NAMES:
            raise KeyError(name)
        return self[_OLD_NAMES[name]]


# The ends of columns' names (docs/formats.md), longest first.
_UNITS = (
    ("_bytes_per_s", "B/s"),
    ("_s_per_byte", "s/B"),
    ("_per_s", "1/s"),
    ("_bytes", "B"),
    ("_ns", "ns"),
    ("_us", "us"),
    ("_s", "s"),
)


def unit_of(column: str) -> Optional[str]:
    """The unit that a column's name states; None if it states none."""
    if column == "bytes":
        return "B"
    for end, unit in _UNITS:
        if column.endswith(end):
            return unit
    return None


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


class Result(Sequence[Row]):
    """The answer of a verb. It is a sequence of rows; a row is a dict with the names of docs/formats.md.

    result[0] is a row, and result["time_s"] a member of the program's JSON object.
    """

    def __init__(
        self,
        data: Any = None,
        *,
        text: str = "",
        messages: str = "",
        command: Sequence[str] = (),
        paths: Sequence[Path] = (),
    ) -> None:
        self.data = data  # the program's JSON: an object, or a list of rows; None if there is none
        self.text = text  # standard output
        self.messages = messages  # standard error
        self.command = list(command)
        self.paths = list(paths)  # files that were written, of verbs that print these

    @property
    def tables(self) -> Dict[str, List[Row]]:
        """The members that are tables with rows, by name."""
        if not isinstance(self.data, dict):
            return {}
        return {name: value for name, value in self.data.items() if _is_table(value)}

    def table(self, name: str) -> List[Row]:
        """The rows of one table, possibly none."""
        rows = self.data.get(name) if isinstance(self.data, dict) else None
        if not (_is_table(rows) or rows == []):
            raise LookupError(f"there is no table {name!r}, but: {', '.join(self.tables) or 'none'}")
        return list(rows or [])

    @property
    def rows(self) -> List[Row]:
        """The rows of the only table; if the answer has no table, the answer as one row."""
        if self.data is None:
            return []
        if isinstance(self.data, list):
            return self.data
        if isinstance(self.data.get("rows"), list):
            return list(self.data["rows"])
        tables = self.tables
        if len(tables) > 1:
            raise LookupError(f"there are several tables: {', '.join(tables)}; take one by table(NAME)")
        for rows in tables.values():
            return rows
        return [self.data]

    def frame(self, table: Optional[str] = None) -> Any:
        """The rows as a pandas DataFrame. attrs["units"] maps columns to units."""
        pandas = importlib.import_module("pandas")  # optional: only this method needs it

        rows = self.rows if table is None else self.table(table)
        frame = pandas.DataFrame(rows)
        for name in frame.columns:
            values = [row.get(name) for row in rows]
            known = [value for value in values if value is not None]
            whole = all(isinstance(value, int) and not isinstance(value, bool) for value in known)
            if known and len(known) < len(values) and whole:
                frame[name] = pandas.array(values, dtype="Int64")  # a missing value makes no reals
        units = {name: unit_of(name) for name in frame.columns}
        frame.attrs["units"] = {name: unit for name, unit in units.items() if unit is not None}
        if isinstance(self.data, dict):
            frame.attrs["version"] = self.data.get("version")
        return frame

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, key: Union[int, slice, str]) -> Any:
        if isinstance(key, str):
            if not isinstance(self.data, dict):
                raise KeyError(key)
            return self.data[key]
        return self.rows[key]

    def __bool__(self) -> bool:
        return True  # an answer without rows is an answer

    def __repr__(self) -> str:
        if self.data is None:
            return f"<Result of {' '.join(self.command[1:2])}: {len(self.text)} characters of text>"
        tables = self.tables
        if len(tables) > 1:
            inside = ", ".join(f"{len(rows)} {name}" for name, rows in tables.items())
        else:
            count = len(self.rows)
            inside = f"{count} row" if count == 1 else f"{count} rows"
        return f"<Result of {' '.join(self.command[1:2])}: {inside}>"


def read_json(text: str) -> Any:
    """The program's JSON: one object, or (measure) one per line, which makes a list."""
    if not text.strip():
        return None
    try:
        return json.loads(text, object_hook=_Row)
    except json.JSONDecodeError:
        return [json.loads(line, object_hook=_Row) for line in text.splitlines() if line.strip()]


def read_results(path: Union[str, Path]) -> Result:
    """The points of a results file of `sweep`: a row per point, in the order of their parameters (docs/formats.md)."""
    path = Path(path).absolute()
    try:
        database = sqlite3.connect(path.as_uri() + "?mode=ro", uri=True)
        try:
            columns = [row[1] for row in database.execute("PRAGMA table_info(points)")]
            columns = [name for name in columns if name not in ("id", "checksum")]
            identity = columns[: columns.index("version")] if "version" in columns else columns
            listed = ", ".join(_quoted(name) for name in columns)
            order = ", ".join(_quoted(name) for name in identity)
            found = database.execute(f"SELECT {listed} FROM points ORDER BY {order}")
            rows = [dict(zip(columns, values)) for values in found]
        finally:
            database.close()
    except sqlite3.Error as error:
        raise Failed(f"{path}: {error}") from error
    return Result(rows, command=["roundabout", "sweep"], paths=[path])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
