"""The release of the package, which is the project's."""

import importlib
import os
import re


def _read() -> str:
    try:
        return str(importlib.import_module("._release", __package__).RELEASE)  # written when the package is built
    except ImportError:
        pass
    here = os.path.dirname(os.path.abspath(__file__))
    header = os.path.join(here, "..", "..", "schedules", "include", "roundabout.h")
    with open(header, encoding="utf-8") as file:
        found = re.search(r'#define RB_VERSION "([0-9.]+)"', file.read())
    if found is None:
        raise ImportError(header + " has no RB_VERSION")
    return found.group(1)


RELEASE = _read()
