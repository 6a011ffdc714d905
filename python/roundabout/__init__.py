"""Roundabout from Python: runs the program's verbs, and makes and verifies plans.

    import roundabout
    rows = roundabout.simulate(p=64, m="1MiB", algorithm="circulant")
    print(rows["time_s"])

Every verb of the program is a function; keyword arguments are its options (docs/python.md). The module
`roundabout.core` has schedules, plans and their verification from the library libroundabout.
"""

from typing import Any

from . import core
from ._errors import Error, Failed, NotFound, Refused, Unsupported, Wrong
from ._plan_file import message, write_plan
from ._program import Program, Verb, default, each, find_program
from ._result import Result, read_results, unit_of
from ._version import RELEASE as __version__

audit = Verb("audit")
bench = Verb("bench")
calibrate = Verb("calibrate")
check = Verb("check")
doctor = Verb("doctor")
list = Verb("list")
measure = Verb("measure")
plan = Verb("plan")
platform = Verb("platform")
plot = Verb("plot")
predict = Verb("predict")
redistribute = Verb("redistribute")
schedule = Verb("schedule")
simulate = Verb("simulate")
sweep = default.sweep
tune = Verb("tune")
verify = Verb("verify")

# Without `list`, which is Python's own word.
__all__ = [
    *("Error", "Failed", "NotFound", "Program", "Refused", "Result", "Unsupported", "Verb", "Wrong"),
    *("audit", "bench", "calibrate", "check", "core", "default", "doctor", "each", "find_program", "measure"),
    *("message", "plan", "platform", "plot", "predict", "read_results", "redistribute", "schedule", "simulate", "sweep"),
    *("tune", "unit_of", "verify", "write_plan"),
]


def __getattr__(name: str) -> Any:
    """Verbs that the program has and that are not named above."""
    if not name.startswith("_"):
        try:
            _, text, _, _ = default.execute(["--help"])
        except Error as error:
            raise AttributeError(f"module 'roundabout' has no attribute {name!r}: {error}") from None
        verb = Verb(name)
        if any(line.split()[:1] == [verb.verb] for line in text.splitlines() if line.startswith("  ")):
            return verb
    raise AttributeError(f"module 'roundabout' has no attribute {name!r}")
