"""Plans as files, for --algorithm file:NAME (docs/own-algorithm.md)."""

import csv
import json
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from ._errors import Refused

COLUMNS = (
    *("round", "rank", "op", "peer", "port", "buffer", "owner", "index"),
    *("from_buffer", "from_owner", "from_index", "left"),
)
_REQUIRED = ("round", "rank", "op", "peer", "index")


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
    blocks = [index] if isinstance(index, int) else [*index]
    common: Dict[str, Any] = {"round": round, "port": port, "buffer": buffer}
    if owner is not None:
        common["owner"] = owner
    sends = {**common, "rank": sender, "op": "send", "peer": receiver}
    receives = {**common, "rank": receiver, "op": "recv", "peer": sender}
    if reduce is not None:
        receives.update(op="reduce", left=reduce)
    return [{**end, "index": block} for end in (sends, receives) for block in blocks]


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
    whole: List[Dict[str, Any]] = []
    for row in rows:
        missing = [name for name in _REQUIRED if name not in row]
        unknown = [name for name in row if name not in COLUMNS and name != "bytes"]
        if missing or unknown:
            what = f"{missing[0]} is missing" if missing else f"there is no column {unknown[0]!r}"
            raise Refused(f"row {len(whole)} of a plan: {what}: {dict(row)!r}")
        usual = {"port": 0, "buffer": "dst", "owner": root}
        whole.append({name: row.get(name, usual.get(name)) for name in COLUMNS})
    text = os.fspath(path)
    if not text.endswith((".csv", ".json")):
        raise Refused(f"{text}: the name of a plan's file ends with .csv or .json")
    with open(path, "w", newline="", encoding="utf-8") as file:
        if text.endswith(".csv"):
            table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            table.writeheader()
            table.writerows(whole)
            return
        head = {"collective": collective, "p": p, "n": n, "root": root, "ports": ports, "instance": instance}
        file.write(json.dumps(head)[:-1] + ', "rows": [\n')
        file.write(",\n".join(json.dumps(row) for row in whole))
        file.write("\n]}\n")
