"""Plans as files, for --algorithm file:NAME (docs/own-algorithm.md)."""

import csv
import io
import json
import os
import stat
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from ._errors import Refused, whole

COLUMNS = (
    *("round", "rank", "op", "peer", "port", "buffer", "owner", "index"),
    *("from_buffer", "from_owner", "from_index", "left"),
)
_REQUIRED = ("round", "rank", "op", "peer", "index")
_WORDS = ("op", "buffer", "from_buffer", "left")


def message(
    round: int,
    sender: int,
    receiver: int,
    index: Union[int, Iterable[int]],
    *,
    owner: Optional[int] = None,
    port: int = 0,
    buffer: str = "dst",
    reduce: Optional[str] = None,
) -> List[Dict[str, Any]]:
    """The rows of both ends of a message: one block, or several in their order.

    owner: whose data the blocks are; by default the root's. reduce: None, or the operand on the left where the
    receiver combines the blocks with its own: "incoming" or "present".
    """
    try:
        blocks = [*index]  # type: ignore[misc]
    except TypeError:
        blocks = [index]
    blocks = [whole("index", block) for block in blocks]
    common: Dict[str, Any] = {"round": whole("round", round), "port": whole("port", port), "buffer": buffer}
    if owner is not None:
        common["owner"] = whole("owner", owner)
    here, there = whole("sender", sender), whole("receiver", receiver)
    sends = {**common, "rank": here, "op": "send", "peer": there}
    receives = {**common, "rank": there, "op": "recv", "peer": here}
    if reduce is not None:
        receives.update(op="reduce", left=reduce)
    return [{**end, "index": block} for end in (sends, receives) for block in blocks]


def _cell(name: str, value: Any) -> Any:
    if value is None and name not in _REQUIRED:
        return None
    if name not in _WORDS:
        return whole(name, value)
    if not isinstance(value, str):
        raise Refused(f"{name}: {value!r} is no word")
    return str(value)


def _row(number: int, row: Mapping[str, Any], root: int) -> Dict[str, Any]:
    missing = [name for name in _REQUIRED if name not in row]
    unknown = [name for name in row if name not in COLUMNS and name != "bytes"]
    usual = {"port": 0, "buffer": "dst", "owner": root}
    try:
        if missing or unknown:
            raise Refused(f"{missing[0]} is missing" if missing else f"there is no column {unknown[0]!r}")
        return {name: _cell(name, row.get(name, usual.get(name))) for name in COLUMNS}
    except Refused as error:
        raise Refused(f"row {number} of a plan: {error.message}: {dict(row)!r}") from None


def _write(path: str, text: str) -> None:
    """Replaces a file as a whole, or not at all: it is written beside it first, and keeps its mode."""
    path = os.path.realpath(path)
    old = os.stat(path).st_mode if os.path.exists(path) else None
    if old is not None and not stat.S_ISREG(old):
        with open(path, "w", newline="", encoding="utf-8") as device:
            device.write(text)
        return
    beside, name = tempfile.mkstemp(prefix=".roundabout-", dir=os.path.dirname(path))
    try:
        with open(beside, "w", newline="", encoding="utf-8") as file:
            file.write(text)
        if old is None:
            mask = os.umask(0)
            os.umask(mask)
        os.chmod(name, 0o666 & ~mask if old is None else stat.S_IMODE(old))
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_plan(
    path: Union[str, "os.PathLike[str]"],
    rows: Iterable[Mapping[str, Any]],
    *,
    collective: str,
    p: int,
    n: int = 1,
    root: int = 0,
    ports: int = 1,
    instance: str = "",
) -> None:
    """Writes a plan to NAME.json, or to NAME.csv, which has no place for collective, p, n, root and ports.

    rows: mappings with the columns of `roundabout plan --format csv`, in any order; message() makes them. Needed
    are round, rank, op, peer and index. By default port is 0, buffer dst and owner the root.
    """
    name = os.fspath(path)
    if not name.endswith((".csv", ".json")):
        raise Refused(f"{name}: the name of a plan's file ends with .csv or .json")
    numbers = {"p": whole("p", p, 1), "n": whole("n", n, 1), "root": whole("root", root), "ports": whole("ports", ports, 1)}
    table = [_row(number, row, numbers["root"]) for number, row in enumerate(rows)]
    text = io.StringIO()
    if name.endswith(".csv"):
        lines = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        lines.writeheader()
        lines.writerows(table)
    else:
        head = {"collective": str(collective), **numbers, "instance": str(instance)}
        text.write(json.dumps(head)[:-1] + ', "rows": [\n')
        text.write(",\n".join(json.dumps(row) for row in table))
        text.write("\n]}\n")
    _write(name, text.getvalue())
