"""Runs the program: a verb is a function, and its options are keyword arguments."""

import contextlib
import operator
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union

from ._errors import Error, Failed, NotFound, Refused, Wrong, real
from ._result import Result, read_json, read_results

Option = Any  # text, a number, a path, True, None, a list, a range, each(...)
_PATIENCE_S = 5  # how long an interrupted program may take to end by itself


class each(Tuple[Any, ...]):
    """An option that is given once per value: engine_option=each("a:1", "b:2")."""

    def __new__(cls, *values: Option) -> "each":
        return super().__new__(cls, values)


def _text(value: Option, name: str) -> str:
    if hasattr(value, "tolist"):
        value = value.tolist()  # numpy's arrays and numbers, and pandas' columns
    if isinstance(value, range):
        if len(value) == 0 or value.step < 0:
            raise Refused(f"{name}: {value!r}: a range must rise and have a value")
        if len(value) == 1:
            return str(value[0])
        return f"{value[0]}..{value[-1]}" + (f"+{value.step}" if value.step > 1 else "")
    if isinstance(value, (list, tuple)):
        return ",".join(_text(part, name) for part in value)
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if isinstance(text, str):
            if "\0" in text:
                raise Refused(f"{name}: {text!r}: a text must not contain a NUL character")
            return text
    elif not isinstance(value, (bool, float)) and hasattr(value, "__index__"):
        return str(operator.index(value))
    elif not isinstance(value, bool) and hasattr(value, "__float__"):
        real(name, value)
        return str(value)
    raise TypeError(f"{name}: {value!r}: give text, a number, a path, True, a list, a range or each(...)")


def _arguments(options: Mapping[str, Option]) -> List[str]:
    """The one rule: p=3 is -p 3, engine_option="a:1" is --engine-option=a:1, and search=True is --search."""
    arguments: List[str] = []
    for keyword, value in options.items():
        name = keyword[:-1] if keyword.endswith("_") else keyword
        short = len(name) == 1
        written = "-" + name if short else "--" + name.replace("_", "-")
        if not name or "\0" in written or "=" in written or name.startswith("-"):
            raise Refused(f"{keyword!r}: this is no option's name")
        if type(value).__name__ in ("bool", "bool_"):  # numpy's, too
            value = True if value else None
        if value is None:
            continue
        for one in value if isinstance(value, each) else (value,):
            if one is True:
                arguments.append(written)
            elif short:
                arguments += [written, _text(one, keyword)]
            else:
                arguments.append(f"{written}={_text(one, keyword)}")
    return arguments


def find_program() -> str:
    """The program: $ROUNDABOUT, `roundabout` on PATH, or that of the checkout with this file."""
    named = os.environ.get("ROUNDABOUT")
    if named:
        found = shutil.which(named)
        if found is None:
            raise NotFound(f"ROUNDABOUT={named}: this is no program")
        return os.path.abspath(found)
    found = shutil.which("roundabout")
    if found is not None:
        return os.path.abspath(found)
    checkout = Path(__file__).resolve().parents[2] / "roundabout"
    if checkout.is_file() and os.access(checkout, os.X_OK):
        return str(checkout)
    raise NotFound("the program roundabout is not on PATH: install it, or set ROUNDABOUT to its path")


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


class Program:
    """A program `roundabout`, with how to run it. Its verbs are methods: Program().simulate(p=64)."""

    def __init__(
        self,
        path: Union[None, str, "os.PathLike[str]"] = None,
        *,
        show: bool = False,
        launch: Sequence[str] = (),
        cwd: Union[None, str, "os.PathLike[str]"] = None,
        env: Optional[Mapping[str, str]] = None,
    ) -> None:
        found = None if path is None else os.fspath(path)
        self.path = os.path.abspath(found) if found and os.sep in found else found  # None: find_program()
        self.show = show  # True: messages and progress also go to sys.stderr while the program runs
        self.launch = list(launch)  # words before the program, such as ["mpirun", "-n", "2"]
        self.cwd = cwd
        self.env = dict(env or {})  # beside those of this process
        self._formats: Dict[Tuple[str, str], bool] = {}

    def __getattr__(self, name: str) -> "Verb":
        if name.startswith("_"):
            raise AttributeError(name)
        return Verb(name, self)

    def execute(self, arguments: Sequence[str], launch: Sequence[str] = ()) -> Tuple[int, str, str, List[str]]:
        """Runs the program: exit status, standard output, standard error, command. No shell is involved."""
        command = [*launch, self.path or find_program(), *arguments]
        environment = {**os.environ, **self.env}
        if not self.show:
            environment.setdefault("ROUNDABOUT_QUIET", "1")
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.cwd,
                env=environment,
            )
        except OSError as error:
            raise NotFound(f"{command[0]}: {error.strerror or error}", command=command) from error
        said: List[bytes] = []
        listener = threading.Thread(target=self._listen, args=(process.stderr, said), daemon=True)
        try:
            listener.start()
            assert process.stdout is not None
            with process.stdout:
                answer = process.stdout.read()
            process.wait()
        except BaseException:  # Ctrl-C, too: the program ends with the call
            _end(process)
            raise
        finally:
            listener.join(_PATIENCE_S)
        return process.returncode, _decoded(answer), _decoded(b"".join(said)), command

    def _listen(self, stream: Any, said: List[bytes]) -> None:
        with stream:
            for line in stream:
                said.append(line)
                if self.show:
                    sys.stderr.write(line.decode("utf-8", "backslashreplace"))
                    sys.stderr.flush()

    def _has_json(self, verb: str) -> bool:
        """True if the verb can answer in JSON, as its own help says."""
        key = (self.path or find_program(), verb)
        if key not in self._formats:
            status, text, _, _ = self.execute([verb, "--help", "--details"])
            words = " ".join(text.split())
            _, found, rest = words.partition("--format FORMAT")
            self._formats[key] = status == 0 and bool(found) and "json" in rest.partition(")")[0]
        return self._formats[key]

    def _path(self, name: str) -> Path:
        return Path(self.cwd or "", name)

    def run(self, verb: str, /, *operands: Any, **options: Option) -> Result:
        """Runs a verb and returns its answer; Wrong, Refused or Failed, with the program's own message."""
        answers_json = options.get("format") == "json"
        if "format" not in options and self._has_json(verb):
            options["format"] = "json"
            answers_json = True
        elif verb in ("sweep", "plot"):
            options.setdefault("details", True)  # all paths
        arguments = [_text(verb, "verb"), *_arguments(options)]
        if operands:
            arguments += ["--", *(_text(operand, "operand") for operand in operands)]
        status, text, messages, command = self.execute(arguments, self.launch)
        result = Result(text=text, messages=messages, command=command)
        if answers_json and status in (0, 1):
            try:
                result.data = read_json(text)
            except ValueError as error:
                raise Failed(f"{command[0]}: its answer is no JSON: {error}", command=command, result=result) from error
        elif not self._has_json(verb):
            result.paths = [path for path in map(self._path, text.splitlines()) if path.is_file()]
        if status != 0:
            kinds: Dict[int, Type[Error]] = {1: Wrong, 2: Refused}
            reason = messages.strip()
            if status < 0:
                name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
                reason = f"{reason}\n{verb}: ended by {name}".strip()
            elif not reason:
                reason = f"{verb}: the answer is no" if status == 1 else f"{verb}: exit status {status}"
            raise kinds.get(status, Failed)(reason, status=status, command=command, result=result)
        return result

    def sweep(self, experiment: Any = None, /, *files: Any, **options: Option) -> Result:
        """Runs an experiment and returns its points.

        experiment is a path, or a dict with the keys of docs/sweep.md. The results of a dict go to the file of
        `output`; without one, they exist only in the answer.
        """
        with contextlib.ExitStack() as cleanup:
            if isinstance(experiment, Mapping):
                directory = cleanup.enter_context(tempfile.TemporaryDirectory(prefix="roundabout-"))
                path = os.path.join(directory, "experiment.yaml")
                with open(path, "w", encoding="utf-8") as file:
                    file.write("".join(_yaml(experiment)))
                experiment = path
                if not options.keys() & {"output", "o", "dry_run"}:
                    options.update(output=os.path.join(directory, "results.db"), no_plots=True)
            operands = [one for one in (experiment, *files) if one is not None]
            try:
                result = self.run("sweep", *operands, **options)
            except Failed as error:  # points failed; the others are done
                result = error.result
                self._read_points(result)
                raise
            self._read_points(result)
        result.paths = [path for path in result.paths if path.exists()]
        return result

    @staticmethod
    def _read_points(result: Result) -> None:
        for path in result.paths:
            if path.suffix == ".db":
                result.data = read_results(path).data


def _yaml(value: Any, indent: int = 0) -> Iterator[str]:
    """Nested mappings and lists as YAML; texts and numbers in the forms that experiment files take."""
    pad = "  " * indent
    if isinstance(value, Mapping):
        for key, member in value.items():
            yield f"{pad}{_word(key)}:"
            if isinstance(member, Mapping) or _has_mappings(member):
                yield "\n"
                yield from _yaml(member, indent + 1)
            else:
                yield f" {_word(member)}\n"
    else:
        for member in value:
            yield f"{pad}-\n"
            yield from _yaml(member, indent + 1)


def _has_mappings(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(member, Mapping) for member in value)


def _word(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_word(member) for member in value) + "]"
    text = _text(value, "experiment")
    escaped = "".join(
        c if c.isprintable() and c not in '"\\' else ("\\" + c if c in '"\\' else f"\\U{ord(c):08x}") for c in text
    )
    return f'"{escaped}"'


class Verb:
    """A verb of the program: operands in order, options as keyword arguments."""

    def __init__(self, name: str, program: Optional[Program] = None) -> None:
        self.__name__ = name
        self.verb = name.rstrip("_").replace("_", "-")
        self._program = program

    def __call__(self, /, *operands: Any, **options: Option) -> Result:
        return (self._program or default).run(self.verb, *operands, **options)

    @property
    def help(self) -> str:
        """The program's own help for this verb."""
        status, text, messages, command = (self._program or default).execute([self.verb, "--help"])
        if status != 0:
            raise Refused(messages.strip(), status=status, command=command)
        return text

    def __repr__(self) -> str:
        return f"<verb {self.verb}: print({self.__name__}.help) describes its options>"


default = Program()  # the program of the module's functions
