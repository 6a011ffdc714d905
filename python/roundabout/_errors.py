"""What can go wrong, by the program's exit status and the library's status codes."""

import math
import operator
from typing import Any, Optional, Sequence


class Error(Exception):
    """The program or the library did not do what was asked. The text is its own message."""

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int] = None,
        command: Sequence[str] = (),
        result: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status  # the program's exit status, or minus the signal that ended it
        self.command = list(command)
        self.result = result


class Wrong(Error):
    """The answer is no: a plan is wrong, a comparison fails (exit status 1). `result` has the rows."""


class Refused(Error):
    """The request makes no sense (exit status 2); the message says what would be right."""


class Failed(Error):
    """The run failed (exit status 3, or a signal)."""


class Unsupported(Error):
    """The algorithm does not have this, for example no closed form."""


class NotFound(Error):
    """The program or the library is not installed where it is looked for."""


def whole(name: str, value: Any, least: int = 0, most: int = (1 << 63) - 1) -> int:
    """The integer that a value is: anything with __index__ is one, as numpy's are."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Refused(f"{name}: {value!r} is not a whole number") from None
    if not least <= number <= most:
        raise Refused(f"{name}: {number} is not from {least} to {most}")
    return number


def real(name: str, value: Any) -> float:
    """The finite number that a value is: anything with __float__ is one, but for texts."""
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise Refused(f"{name}: {value!r} is not a number")
    return number
