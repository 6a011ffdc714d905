"""The library from Python: its interface equals the header's, and its answers those of the program."""

import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import roundabout
from roundabout import _abi, core

SOURCE = Path(os.environ["ROUNDABOUT_SOURCE"])
COMPILER = os.environ.get("CC", "cc")


class Interface(unittest.TestCase):
    def test_against_the_header(self):
        """The compiler compares the declarations; the program that it makes says the structs' layouts."""
        lines = ["#include <stdio.h>", "#include <roundabout.h>", _abi.PROTOTYPES, "int main(void) {"]
        expected = []

        def say(name, expression, value):
            lines.append(f'printf("{name} %lld\\n", (long long)({expression}));')
            expected.append(f"{name} {value}")

        for name, value in _abi.CONSTANTS.items():
            say(name, name, value)
        for struct in _abi.STRUCTS:
            name = struct.__name__
            say(name, f"sizeof(struct {name})", ctypes.sizeof(struct))
            for field, _ in struct._fields_:
                at = getattr(struct, field)
                say(f"{name}.{field}", f"offsetof(struct {name}, {field})", at.offset)
                say(f"{name}.{field}:", f"sizeof(((struct {name} *)0)->{field})", at.size)
        lines.append("return 0; }")
        with tempfile.TemporaryDirectory() as directory:
            probe = Path(directory, "doctor.c")
            probe.write_text("\n".join(lines))
            subprocess.run([COMPILER, "-std=c17", "-I", str(SOURCE / "schedules" / "include"), str(probe), "-o",
                            str(probe.with_suffix(""))], check=True)
            said = subprocess.run([str(probe.with_suffix(""))], capture_output=True, check=True, text=True)
        self.assertEqual(said.stdout.splitlines(), expected)

    def test_the_library_is_that_of_this_release(self):
        self.assertTrue(core.library()._name.endswith(_abi.SONAME), core.library()._name)


class Schedules(unittest.TestCase):
    def test_as_the_program_prints_them(self):
        for p in (1, 2, 3, 17, 100):
            graph = core.Circulant(p)
            answer = roundabout.schedule(p=p)
            self.assertEqual(graph.skips, answer["skip"])
            base, recv, send = graph.table()
            for row in answer:
                r = row["rank"]
                self.assertEqual([graph.baseblock(r), graph.recv(r), graph.send(r)],
                                 [row["baseblock"], row["recv"], row["send"]])
                if p > 1:
                    self.assertEqual([recv[k, r] for k in range(graph.q)], row["recv"])
                    self.assertEqual([send[k, r] for k in range(graph.q)], row["send"])
                self.assertEqual(base[r], row["baseblock"])

    def test_verification(self):
        self.assertTrue(core.verify_schedule(1000))
        self.assertTrue(core.verify_schedule_rank(1 << 30, (1 << 30) - 1))

    def test_impossible_numbers(self):
        for p in (0, -1, (1 << 30) + 1, 1 << 32, (1 << 64) + 5, 2.0, "3", None):
            with self.subTest(p), self.assertRaises(roundabout.Refused):
                core.Circulant(p)
            with self.subTest(p), self.assertRaises(roundabout.Refused):
                core.Plan(p=p)
        graph = core.Circulant(5)
        for r in (-1, 5, 1 << 40, 1.5):
            with self.subTest(r), self.assertRaises(roundabout.Refused):
                graph.recv(r)


class Plans(unittest.TestCase):
    def test_as_the_program_prints_them(self):
        for algorithm, collective in (("circulant", "bcast"), ("bruck", "alltoall"), ("circulant", "reduce")):
            plan = core.Plan(collective, algorithm, p=6, n=3)
            answer = roundabout.plan(collective=collective, algorithm=algorithm, p=6, n=3, m=plan.blocks * plan.owners)
            self.assertEqual([plan.rounds, plan.blocks, plan.bound_rounds],
                             [answer[name] for name in ("rounds", "blocks", "bound_rounds")])
            self.assertEqual([plan.critical_volume, plan.bound_critical_volume()], [answer["c2"], answer["bound_c2"]])
            found = []
            for t in range(plan.rounds):
                for r in range(plan.p):
                    for op in plan.round(r, t):
                        kind = "reduce" if op.kind == "recv-reduce" else op.kind
                        for i in range(op.at.blocks):
                            source = op.source and (op.source.buffer, op.source.owner, op.source.first + i)
                            found.append((t, r, kind, op.peer, op.port, op.at.buffer, op.at.owner, op.at.first + i,
                                          *(source or (None, None, None))))
            names = ("round", "rank", "op", "peer", "port", "buffer", "owner", "index",
                     "from_buffer", "from_owner", "from_index")
            self.assertEqual(found, [tuple(row[name] for name in names) for row in answer])
            sends = sum(len(message.ranges) > 0 for message in plan.messages())
            self.assertEqual(sends, plan.verify().messages)

    def test_usual_algorithm(self):
        for row in core.algorithms():
            usual = next(other for other in core.algorithms() if other["collective"] == row["collective"])
            self.assertEqual(core.Plan(row["collective"], p=4).algorithm, usual["name"])

    def test_verdicts(self):
        for row in core.algorithms():
            if core.is_supported(row["collective"], row["name"], p=8):
                with core.Plan(row["collective"], row["name"], p=8, n=3) as plan:
                    verdict = plan.verify(800)
                    self.assertTrue(verdict and verdict.right, (row["name"], verdict.what))
                    self.assertGreaterEqual(verdict.moves, plan.bound_moves)

    def test_a_wrong_verdict_has_a_message(self):
        found = _abi.rb_verdict(what=b"round 3: rank 2 sends a block that it does not have")
        verdict = core._verdict(_abi.EWRONG, found)
        self.assertFalse(verdict)
        self.assertIn("rank 2", verdict.what)

    def test_costs(self):
        plan = core.Plan(p=17, n=10)
        program = roundabout.simulate(p=17, n=10, m=1000000, engine="model", progress="lockstep")
        cost = plan.cost(1000000, program["alpha_s"], program["beta_s_per_byte"])
        self.assertEqual(cost, program["closed_form_s"])
        n = core.best_n(p=17, m=1000000, alpha_s=program["alpha_s"], beta_s_per_byte=program["beta_s_per_byte"])
        self.assertEqual(n, roundabout.simulate(p=17, m=1000000, engine="model")["n"])
        radix = core.best_radix(p=64, m=64 * 64 * 32, alpha_s=29e-6, beta_s_per_byte=0.12e-6)
        found = roundabout.tune(search=True, collective="alltoall", algorithm="bruck", radix=range(2, 65), p=64,
                                m=64 * 64 * 32, platform="crossbar:64,latency=29us,bandwidth=8.333333333MBps")
        self.assertEqual(f"bruck:r={radix}", found.table("decision")[0]["choice"])
        with self.assertRaises(roundabout.Unsupported):
            plan = core.Plan("allgather", "circulant", p=5)
            plan.cost(plan.layout(100, counts="mod3"), 1e-6, 1e-9)

    def test_layouts(self):
        plan = core.Plan("allgather", "circulant", p=4, n=2)
        shares = plan.layout(600, counts="mod3")
        sizes = [plan.bytes_of(core.Range("dst", owner, 0, 2), shares) for owner in range(4)]
        self.assertEqual(sizes, [0, 200, 400, 0])
        self.assertTrue(plan.verify(shares))
        for wrong in (dict(m=-1), dict(m=10, element=3), dict(m=10, element=0), dict(m=8, counts="mod4"),
                      dict(m=8, counts="random"), dict(m=8, counts="mod3:1"), dict(m=1 << 63)):
            with self.subTest(wrong), self.assertRaises(roundabout.Refused):
                plan.layout(**wrong)
        with self.assertRaises(roundabout.Refused):
            core.Plan(p=4).layout(8, counts="mod3")
        for wrong in (core.Range("dst", 4, 0, 1), core.Range("dst", 0, 1, 2), core.Range("x", 0, 0, 1)):
            with self.subTest(wrong), self.assertRaises(roundabout.Refused):
                plan.bytes_of(wrong, 600)

    def test_sizes(self):
        # The largest part of the fullest line is sent first, whoever it is for.
        for sizes in ([0, 2, 0, 1, 0, 5, 0, 3, 0], [0, 2, 0, 5, 0, 1, 3, 0, 0]):
            plan = core.Plan("alltoall", "open-shop", p=3, sizes=sizes)
            first = {(message.sender, message.receiver) for message in plan.messages(0)}
            self.assertIn(divmod(sizes.index(5), 3), first)
        shares = plan.layout(44, element=4)
        self.assertTrue(plan.verify(shares))
        for wrong in (dict(m=11, element=4), dict(m=44), dict(m=44, element=4, counts="mod3")):
            with self.subTest(wrong), self.assertRaises(roundabout.Refused):
                plan.layout(**wrong)
        for wrong in (dict(algorithm="bruck"), dict(sizes=sizes[1:]), dict(sizes=[-1] + sizes[1:]), dict(sizes=[]),
                      dict(sizes=[(1 << 63) - 1] * 9)):
            with self.subTest(wrong), self.assertRaises(roundabout.Refused):
                core.Plan(**{"collective": "alltoall", "algorithm": "open-shop", "p": 3, "sizes": sizes, **wrong})

    def test_refusals(self):
        for wrong in (dict(collective="no"), dict(algorithm="no"), dict(algorithm="circulant\0x"), dict(root=4),
                      dict(n=0), dict(n=1 << 63), dict(ports=0), dict(ports=3000), dict(radix=-2), dict(groups="x"),
                      dict(instance="q=1\n"), dict(instance="\0"), dict(collective=None), dict(algorithm=7)):
            with self.subTest(wrong), self.assertRaises(roundabout.Refused) as refusal:
                core.Plan(**{"p": 4, **wrong})
            self.assertTrue(str(refusal.exception))
        plan = core.Plan(p=4, n=2)
        for call in (lambda: plan.round(4, 0), lambda: plan.round(0, plan.rounds), lambda: plan.round(-1, 0),
                     lambda: plan.rank(0).next(-1), lambda: list(plan.messages(99))):
            with self.assertRaises(roundabout.Refused):
                call()

    def test_ownership(self):
        plan = core.Plan(p=9, n=4)
        rank = plan.rank(3)
        del plan
        gc.collect()
        self.assertTrue(rank.round(3))  # it keeps its plan
        with rank.plan as plan:
            pass
        plan.close()
        for call in (plan.verify, lambda: rank.round(0), lambda: rank.next(0), lambda: plan.rank(0),
                     lambda: plan.cost(1, 1.0, 1.0), lambda: plan.bound_rounds, lambda: plan.title):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()

    def test_closed_by_another_thread(self):
        """A call that is under way keeps the plan's memory. Freed memory is overwritten here, by glibc."""
        program = """if True:
            import threading, time
            from roundabout import core
            with core.Plan(p=2000, n=200) as plan:
                thread = threading.Thread(target=lambda: print(bool(plan.verify())))
                thread.start()
                time.sleep(0.02)
            thread.join()"""
        ran = subprocess.run([sys.executable, "-c", program], env={**os.environ, "MALLOC_PERTURB_": "1"},
                             capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0)
        self.assertTrue(ran.stdout == "True\n" or "the plan is closed" in ran.stderr)

    def test_huge_plans_are_small(self):
        with core.Plan(p=1 << 30, n=1 << 32) as plan:
            self.assertEqual(plan.rounds, (1 << 32) - 1 + 30)
            self.assertEqual(len(plan.round((1 << 30) - 1, plan.rounds - 1)), 2)


class Finding(unittest.TestCase):
    def test_a_library_that_is_none(self):
        kept = os.environ.get("ROUNDABOUT_LIBRARY")
        try:
            for path in ("/nowhere.so", __file__, "/lib/x86_64-linux-gnu/libc.so.6"):
                os.environ["ROUNDABOUT_LIBRARY"] = path
                with self.assertRaisesRegex(roundabout.NotFound, "ROUNDABOUT_LIBRARY="):
                    _abi.load()
        finally:
            os.environ.pop("ROUNDABOUT_LIBRARY")
            if kept is not None:
                os.environ["ROUNDABOUT_LIBRARY"] = kept


if __name__ == "__main__":
    unittest.main()
