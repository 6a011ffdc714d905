"""Verbs from Python: arguments, rows, exceptions, interruption."""

import contextlib
import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import unittest.mock
from pathlib import Path

import roundabout
from roundabout._program import _arguments, each

try:
    import pandas
except ImportError:
    pandas = None

EXPERIMENT = {
    "name": "tiny",
    "ranks": [5, 8],
    "bytes": ["1KiB", "4KiB"],
    "platforms": ["crossbar:8,latency=2us"],
    "grids": [{"algorithms": "circulant", "blocks": {"counts": [1, 2]}}, {"algorithms": ["binomial", "flat"]}],
}


def script(directory, text):
    """A program that stands for Roundabout."""
    path = Path(directory, "program")
    path.write_text("#!/bin/sh\n" + textwrap.dedent(text))
    path.chmod(0o755)
    return roundabout.Program(path)


class Arguments(unittest.TestCase):
    def test_one_rule(self):
        self.assertEqual(
            _arguments({"p": 3, "engine_option": each("a:1", "b:2"), "search": True, "quiet": False, "root": None}),
            ["-p", "3", "--engine-option=a:1", "--engine-option=b:2", "--search"],
        )
        self.assertEqual(_arguments({"p": range(2, 6)}), ["-p", "2..5"])
        self.assertEqual(_arguments({"p": range(2, 10, 4)}), ["-p", "2..6+4"])
        self.assertEqual(_arguments({"p": [1, range(4, 5), "7..9"]}), ["-p", "1,4,7..9"])
        self.assertEqual(_arguments({"m": "", "from_": Path("a b")}), ["-m", "", "--from=a b"])
        self.assertEqual(_arguments({"p": -1, "platform": "-x"}), ["-p", "-1", "--platform=-x"])

    def test_what_is_no_option(self):
        for value in (b"3", {"a": 1}, {1}, object()):
            with self.assertRaises(TypeError):
                _arguments({"p": value})
        for value in ("a\0b", ["a", "\0"], range(3, 1), range(9, 1, -1)):
            with self.assertRaises(roundabout.Refused):
                _arguments({"p": value})
        for name in ("", "_", "p=1", "a\0", "-p"):
            with self.assertRaises(roundabout.Refused):
                _arguments({name: 1})


class Whole:
    """An integer as numpy's are: no int, but with __index__."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value

    def __repr__(self):
        return f"Whole({self.value})"


class Files(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.path = Path(room.name, "plan.json")

    def write(self, rows, path=None, **words):
        words = {"collective": "bcast", "p": 2, **words}
        roundabout.write_plan(path or self.path, rows, **words)

    def test_anything_with_an_index_is_an_integer(self):
        plain = roundabout.message(0, 0, 1, [0, 1], owner=0, port=0)
        own = roundabout.message(Whole(0), Whole(0), Whole(1), [Whole(0), Whole(1)], owner=Whole(0), port=Whole(0))
        self.assertEqual(plain, own)
        self.assertEqual(roundabout.message(0, 0, 1, Whole(3)), roundabout.message(0, 0, 1, 3))
        for ending in (".json", ".csv"):
            path = self.path.with_suffix(ending)
            self.write(plain, path, n=2)
            expected = path.read_text()
            rows = [{k: Whole(v) if isinstance(v, int) else v for k, v in row.items()} for row in plain]
            self.write(rows, path, p=Whole(2), n=Whole(2), root=Whole(0), ports=Whole(1))
            self.assertEqual(path.read_text(), expected)
            self.assertTrue(roundabout.verify(algorithm=f"file:{path}", collective="bcast"))
        self.assertEqual(_arguments({"p": [Whole(3), 4]}), ["-p", "3,4"])
        plan = roundabout.core.Plan(p=Whole(4), n=Whole(2))
        part = roundabout.core.Range("dst", Whole(0), Whole(0), Whole(2))
        self.assertEqual(plan.bytes_of(part, Whole(100)), 100)

    def test_an_owner_is_the_root_unless_it_is_said(self):
        self.write([*roundabout.message(0, 1, 0, 0), *roundabout.message(1, 0, 1, 0, owner=0)], root=1)
        self.assertEqual([row["owner"] for row in json.loads(self.path.read_text())["rows"]], [1, 1, 0, 0])

    def test_points_come_in_the_order_of_their_parameters(self):
        path = self.path.with_name("results.db")
        with contextlib.closing(sqlite3.connect(path)) as results:
            results.execute("CREATE TABLE points (id, p, n, version, time_s, checksum)")
            results.executemany("INSERT INTO points VALUES (?, ?, ?, 'v', 1.0, 0)", [(1, 8, 2), (2, 16, 1), (3, 8, 1)])
            results.commit()
        rows = roundabout.read_results(path).rows
        self.assertEqual(rows, [{"p": p, "n": n, "version": "v", "time_s": 1.0} for p, n in ((8, 1), (8, 2), (16, 1))])

    def test_units_are_the_ends_of_names(self):
        units = {"bytes": "B", "m_bytes": "B", "nic_bytes_per_s": "B/s", "beta_s_per_byte": "s/B", "calls_per_s": "1/s",
                 "enter_ns": "ns", "time_us": "us", "time_s": "s", "p": None, "rounds": None}
        self.assertEqual({name: roundabout._result.unit_of(name) for name in units}, units)

    def test_what_is_none_leaves_the_old_file(self):
        nan = float("nan")
        row = roundabout.message(0, 0, 1, 0)[0]
        self.write(roundabout.message(0, 0, 1, 0))
        old = self.path.read_text()
        for name in roundabout._plan_file.COLUMNS:
            for value in (nan, 1.0, object(), "", -1) if name not in ("op", "buffer", "from_buffer", "left") else (nan, 1, b"dst"):
                with self.assertRaisesRegex(roundabout.Refused, f"row 1 of a plan: {name}: "):
                    self.write([row, {**row, name: value}])
        for name in ("p", "n", "root", "ports"):
            for value in (nan, 1.5, None, "2", -1):
                with self.assertRaisesRegex(roundabout.Refused, f"{name}: "):
                    self.write([row], **{name: value})
        for bad in ({"index": nan}, {"index": [0, nan]}, {"index": "01"}, {"port": nan}, {"owner": 1.0}, {"sender": nan}):
            with self.assertRaises(roundabout.Refused):
                roundabout.message(**{"round": 0, "sender": 0, "receiver": 1, "index": 0, **bad})
        with self.assertRaises(roundabout.Refused):
            _arguments({"m": nan})
        plan = roundabout.core.Plan(p=4, n=2)
        for bad in (nan, "1", None, float("inf")):
            with self.assertRaises(roundabout.Refused):
                plan.cost(100, bad, 1e-9)
            with self.assertRaises(roundabout.Refused):
                roundabout.core.best_n(p=4, m=100, alpha_s=1e-6, beta_s_per_byte=bad)
        self.assertEqual(self.path.read_text(), old)
        self.assertEqual([path.name for path in self.path.parent.iterdir()], ["plan.json"])

    def test_a_disk_that_fills_leaves_the_old_file(self):
        rows = roundabout.message(0, 0, 1, 0)
        self.write(rows)
        self.path.chmod(0o640)
        old = self.path.read_text()
        with unittest.mock.patch("os.replace", side_effect=OSError("No space left")), self.assertRaises(OSError):
            self.write(rows * 2)
        self.assertEqual(self.path.read_text(), old)
        self.assertEqual([path.name for path in self.path.parent.iterdir()], ["plan.json"])
        link = self.path.with_name("link.json")
        link.symlink_to("plan.json")
        self.write(rows * 2, link)
        self.assertTrue(link.is_symlink())
        self.assertNotEqual(self.path.read_text(), old)
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o640)


class Verbs(unittest.TestCase):
    def test_a_point(self):
        result = roundabout.simulate(p=64, n=4, m="1MiB", engine="model")
        self.assertEqual(len(result), 1)
        self.assertIsInstance(result[0]["time_s"], float)
        self.assertIsInstance(result["p"], int)
        self.assertEqual((result["m_bytes"], result["rounds"]), (1 << 20, 9))
        self.assertIs(result["uncontended"], True)
        self.assertIsNone(result["time_low_s"])

    def test_rows_of_verbs(self):
        self.assertEqual(len(roundabout.plan(p=3)), 4)
        self.assertEqual(len(roundabout.plan(p=1)), 0)
        self.assertEqual(roundabout.schedule(p=5)[1]["recv"], [0, -1, -2])
        self.assertEqual(roundabout.verify(p=range(1, 6), algorithm="circulant")["wrong"], 0)
        self.assertEqual(roundabout.redistribute(P=2, r=1, Q=3, s=2)["t_opt"], 3)
        self.assertEqual(len(roundabout.simulate(p=4, finish=True)["finish_s"]), 4)
        self.assertEqual(len(roundabout.simulate(p=4, links=3)), 3)
        self.assertEqual(roundabout.platform("describe", "crossbar:4")["hosts"], 4)
        found = roundabout.tune(search=True, p=[8, 16], m="1MiB", algorithm=["circulant", "binomial"], confirm="none")
        self.assertEqual({row["p"] for row in found.table("decision")}, {8, 16})
        with self.assertRaises(LookupError):
            found.rows
        with self.assertRaises(LookupError):
            found.table("nothing")
        audit = roundabout.audit("native:ompi", platform="crossbar:4", p=4, m=["1KiB", "64KiB"])
        summary = audit.table("summary")[0]
        self.assertEqual(summary["points"], 2)
        self.assertEqual(summary["source"], summary["place"])  # the last release's name
        with self.assertRaises(KeyError):
            summary["sauce"]
        self.assertIn("send 0 to 1", roundabout.plan(p=3, format="table").text)

    def test_every_verb_is_a_function(self):
        _, text, _, _ = roundabout.default.execute(["--help"])
        verbs = [line.split()[0] for line in text.splitlines() if line.startswith("  ") and line[2] != " "]
        self.assertIn("simulate", verbs)
        for verb in verbs:
            self.assertIn("Usage: roundabout " + verb, getattr(roundabout, verb).help if verb != "sweep" else
                          roundabout.Program().execute(["sweep", "--help"])[1])
        self.assertFalse(hasattr(roundabout, "no_such_verb"))

    def test_refusals_are_the_programs(self):
        for options, words in (
            (dict(p=-1), '--ranks: "-1" is not'),
            (dict(p=1 << 40), "--ranks:"),
            (dict(p=3, nope=True), "--nope: unknown option"),
            (dict(p=3, m="--help"), '--bytes: "--help"'),
            (dict(p=3, platform="-o/tmp/x"), "-o/tmp/x"),
            (dict(p=3, m=""), '--bytes: ""'),
            (dict(p=3, m="1\n2"), "--bytes:"),
            (dict(p=[3, 4]), '"3,4"'),
            (dict(p=3, collective="bcast;true"), "bcast;true"),
        ):
            with self.subTest(options), self.assertRaises(roundabout.Refused) as refusal:
                roundabout.simulate(**options)
            self.assertIn(words, str(refusal.exception))
            self.assertEqual(refusal.exception.status, 2)
        with self.assertRaisesRegex(roundabout.Refused, "unknown verb"):
            roundabout.Program().no_such_verb()
        with self.assertRaises(roundabout.Refused):
            roundabout.tune("--search")  # an operand, not an option

    def test_statuses_are_exceptions(self):
        with tempfile.TemporaryDirectory() as directory:
            wrong = script(directory, """echo '{"wrong": 1, "rows": [{"p": 5}]}'; echo no >&2; exit 1""")
            with self.assertRaisesRegex(roundabout.Wrong, "^no$") as answer:
                wrong.verify(format="json")
            self.assertEqual(answer.exception.result.rows, [{"p": 5}])
            with self.assertRaisesRegex(roundabout.Failed, "exit status 3"):
                script(directory, "exit 3").verify(format="json")
            with self.assertRaisesRegex(roundabout.Failed, "SIGKILL") as killed:
                script(directory, "kill -9 $$").verify(format="json")
            self.assertEqual(killed.exception.status, -signal.SIGKILL)
            with self.assertRaisesRegex(roundabout.Failed, "its answer is no JSON"):
                script(directory, "echo '{'").verify(format="json")
            with self.assertRaisesRegex(roundabout.NotFound, "nowhere"):
                roundabout.Program(directory + "/nowhere").verify()

    def test_names_of_options_are_free(self):
        with tempfile.TemporaryDirectory() as directory:
            program = script(directory, 'printf "%s\\n" "$@"')
            said = program.verify("-p", "--", verb=1, self=2, experiment=3, cwd=4, format="x").text
            self.assertEqual(said.split(), "verify --verb=1 --self=2 --experiment=3 --cwd=4 --format=x -- -p --".split())

    def test_a_relative_program_elsewhere(self):
        with tempfile.TemporaryDirectory() as directory:
            script(directory, "pwd")
            path = os.path.relpath(Path(directory, "program"))
            self.assertEqual(roundabout.Program(path, cwd="/").verify(format="x").text, "/\n")

    def test_much_output_on_both_streams(self):
        with tempfile.TemporaryDirectory() as directory:
            program = script(directory, "head -c 3000000 /dev/zero | tr '\\0' x >&2; head -c 3000000 /dev/zero")
            self.assertEqual(len(program.verify(format="table").text), 3000000)

    def test_finding_the_program(self):
        kept = os.environ["ROUNDABOUT"]
        try:
            os.environ["ROUNDABOUT"] = "/nowhere/roundabout"
            with self.assertRaisesRegex(roundabout.NotFound, "ROUNDABOUT=/nowhere"):
                roundabout.find_program()
            del os.environ["ROUNDABOUT"]
            with tempfile.TemporaryDirectory() as directory:
                Path(directory, "roundabout").symlink_to(kept)
                path, os.environ["PATH"] = os.environ["PATH"], directory
                try:
                    self.assertEqual(roundabout.find_program(), directory + "/roundabout")
                finally:
                    os.environ["PATH"] = path
        finally:
            os.environ["ROUNDABOUT"] = kept


class Sweeps(unittest.TestCase):
    def test_an_experiment_in_memory(self):
        result = roundabout.sweep(EXPERIMENT)
        self.assertEqual(len(result), 16)
        self.assertEqual(result.paths, [])
        self.assertEqual({type(row["time_s"]) for row in result}, {float})
        self.assertEqual({row["groups"] for row in result}, {""})
        self.assertEqual({row["platform"] for row in result}, {"crossbar:8,latency=2us"})

    def test_rows_are_those_of_the_csv(self):
        with tempfile.TemporaryDirectory(prefix="a b?#%") as directory:
            result = roundabout.sweep(EXPERIMENT, output=Path(directory, "x.db"), no_plots=True)
            self.assertEqual([path.name for path in result.paths], ["x.db", "x.csv"])
            with open(Path(directory, "x.csv"), encoding="utf-8", newline="") as file:
                expected = list(csv.DictReader(file))
            self.assertEqual(list(result[0]), list(expected[0]))
            for row, line in zip(result, expected):
                self.assertEqual([row["p"], row["algorithm"], row["n"]], [int(line["p"]), line["algorithm"], int(line["n"])])
                self.assertEqual(row["time_s"], float(line["time_s"]))
            self.assertEqual(roundabout.read_results(Path(directory, "x.db")).rows, result.rows)
            figures = roundabout.plot(Path(directory, "x.db"), what="time-m", format="svg", o=directory).paths
            self.assertTrue(any(path.suffix == ".svg" for path in figures), figures)

    def test_hostile_experiments(self):
        for change in ({"ranks": "x: [\n- \"'"}, {"no such key": 1}, {"platforms": "\u2028\x01\\\""}, {"bytes": []}):
            with self.subTest(change), self.assertRaises(roundabout.Refused):
                roundabout.sweep({**EXPERIMENT, **change})
        with self.assertRaises(roundabout.Failed):
            roundabout.read_results("/nowhere/at all.db")

    def test_points_that_fail(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "x.db")
            roundabout.sweep(EXPERIMENT, output=path, no_plots=True)
            program = script(directory, f"case $* in *--help) exit;; esac; echo {path}; echo 'a point failed' >&2; exit 3")
            with self.assertRaisesRegex(roundabout.Failed, "a point failed") as failure:
                program.sweep(EXPERIMENT)
            self.assertEqual(len(failure.exception.result), 16)


class Interruption(unittest.TestCase):
    def test_ctrl_c_ends_the_program(self):
        with tempfile.TemporaryDirectory() as directory:
            program = script(directory, f"echo $$ > {directory}/pid; exec sleep 1000")
            # A job in the background, such as one of a script, is begun with SIGINT ignored.
            code = f"import roundabout, signal as s; s.signal(s.SIGINT, s.default_int_handler); roundabout.Program({program.path!r}).verify(format='json')"
            caller = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, start_new_session=True)
            pid = Path(directory, "pid")
            while not (pid.exists() and pid.read_text().strip()):
                time.sleep(0.01)
            time.sleep(0.5)  # until Python knows the process, too: subprocess forgets one whose start is interrupted
            caller.send_signal(signal.SIGINT)  # to Python alone, as a notebook does
            self.assertIn(b"KeyboardInterrupt", caller.communicate()[1])
            with self.assertRaises(ProcessLookupError):
                os.kill(int(pid.read_text()), 0)

    def test_messages_pass_through(self):
        with tempfile.TemporaryDirectory() as directory:
            program = script(directory, "echo \"quiet: $ROUNDABOUT_QUIET\" >&2; echo '{}'").path
            for show, expected in ((True, b"quiet: \n"), (False, b"")):
                code = f"import roundabout; r = roundabout.Program({program!r}, show={show}).verify(format='json')"
                environment = {name: value for name, value in os.environ.items() if name != "ROUNDABOUT_QUIET"}
                done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment)
                self.assertEqual(done.stderr, expected)


class NoFrames(unittest.TestCase):
    def test_without_pandas(self):
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            result = roundabout.simulate(p=4, engine="model")
            self.assertEqual(result[0]["p"], 4)
            with self.assertRaisesRegex(ImportError, "pandas"):
                result.frame()


@unittest.skipIf(pandas is None, "no pandas")
class Frames(unittest.TestCase):
    def test_units_and_types(self):
        frame = roundabout.simulate(p=8, n=2, engine="model").frame()
        self.assertEqual(frame.attrs["units"]["time_s"], "s")
        self.assertEqual(frame.attrs["units"]["m_bytes"], "B")
        self.assertEqual(frame.attrs["units"]["beta_s_per_byte"], "s/B")
        self.assertEqual(frame.attrs["units"]["messages_per_s"], "1/s")
        self.assertNotIn("p", frame.attrs["units"])
        frame = roundabout.plan(p=3, algorithm="binomial").frame()
        self.assertEqual(str(frame["round"].dtype), "int64")
        found = roundabout.tune(search=True, p=8, m="1MiB", algorithm=["circulant", "binomial"], confirm="none")
        self.assertEqual(str(found.frame("best")["closed_n"].dtype), "Int64")  # binomial has none
        self.assertEqual(len(roundabout.plan(p=1).frame()), 0)

    def test_numbers_of_pandas_and_numpy(self):
        numpy = pandas.Series([4, 8]).to_numpy()
        self.assertEqual(_arguments({"p": pandas.Series([4, 8]), "m": numpy[0], "search": numpy[0] == 4}),
                         ["-p", "4,8", "-m", "4", "--search"])


if __name__ == "__main__":
    unittest.main()
