"""Schedules, plans and their verification, by the library libroundabout (docs/python.md).

The conventions are those of roundabout.h: ranks, rounds and blocks count from 0. Values that the library would not
check are checked here, so that no call reads or writes memory that is not its own.
"""

import ctypes
import functools
import itertools
import weakref
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union

from . import _abi
from ._abi import MAX_PORTS, MAX_RANKS
from ._errors import Failed, Refused, Unsupported, Wrong, real, whole

_INT64_MAX = (1 << 63) - 1
_WHY = 512


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded once. Only the functions of _abi.PROTOTYPES have their types set."""
    return _abi.load()


def _bytes(name: str, value: Optional[str]) -> Optional[bytes]:
    if value is None:
        return None
    if not isinstance(value, str):
        raise Refused(f"{name}: {value!r} is not a text")
    if "\0" in value:
        raise Refused(f"{name}: {value!r}: a text must not contain a NUL character")
    return value.encode("utf-8", "surrogateescape")


def _str(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "surrogateescape")


def _check(status: int, why: Union[str, bytes] = "") -> None:
    if status >= 0:
        return
    message = why.decode("utf-8", "backslashreplace") if isinstance(why, bytes) else why
    if status == _abi.ENOMEM:
        raise MemoryError(message or "out of memory")
    kinds = {_abi.EINVAL: Refused, _abi.EWRONG: Wrong, _abi.ENOTSUP: Unsupported}
    raise kinds.get(status, Failed)(message or "the library refused", status=status)


# ---- Circulant schedules ---------------------------------------------------------------------------


class Circulant:
    """The circulant graph of p ranks, and its schedules. Ranks are relative: the root is 0."""

    def __init__(self, p: int) -> None:
        self._graph = _abi.rb_circulant()
        self.p = whole("p", p, 1, MAX_RANKS)
        _check(library().rb_circulant_init(self._graph, self.p), f"p: {p}")
        self.q: int = self._graph.q

    def __repr__(self) -> str:
        return f"Circulant({self.p})"

    @property
    def skips(self) -> List[int]:
        """skip[0] to skip[q]; skip[q] is p."""
        return list(self._graph.skip[: self.q + 1])

    def _rank(self, r: int) -> int:
        return whole("r", r, 0, self.p - 1)

    def baseblock(self, r: int) -> int:
        """The first block that rank r receives; q for r = 0."""
        return int(library().rb_circulant_baseblock(self._graph, self._rank(r)))

    def recv(self, r: int) -> List[int]:
        """The block that rank r receives in each of the q rounds of a phase; negative: of the phase before."""
        block = (ctypes.c_int8 * (_abi.MAX_Q + 1))()
        library().rb_circulant_recv(self._graph, self._rank(r), block)
        return list(block[: self.q])

    def send(self, r: int) -> List[int]:
        """The block that rank r sends in each of the q rounds of a phase."""
        block = (ctypes.c_int8 * (_abi.MAX_Q + 1))()
        library().rb_circulant_send(self._graph, self._rank(r), block)
        return list(block[: self.q])

    def table(self) -> Tuple[memoryview, memoryview, memoryview]:
        """All ranks' schedules: baseblock[r], recv[k, r] and send[k, r].

        They are memoryviews of 1 + 2 q bytes per rank; numpy.asarray makes arrays of them without a copy.
        """
        base = (ctypes.c_int8 * self.p)()
        recv = (ctypes.c_int8 * (self.p * self.q))()
        send = (ctypes.c_int8 * (self.p * self.q))()
        library().rb_circulant_table(self._graph, base, recv, send)

        def rows(array: Any) -> memoryview:
            view = memoryview(array).cast("B")
            return view.cast("b", (self.q, self.p)) if self.q > 0 else view.cast("b")

        return memoryview(base).cast("B").cast("b"), rows(recv), rows(send)


# ---- Blocks and operations ---------------------------------------------------------------------------


class Range(NamedTuple):
    """Blocks first .. first + blocks - 1 of owner's data, in a buffer: src, dst or tmp."""

    buffer: str
    owner: int
    first: int
    blocks: int


class Op(NamedTuple):
    """What a rank does: send, recv, recv-reduce (with peer), copy, reduce (local)."""

    kind: str
    peer: int
    port: int
    at: Range
    source: Optional[Range]  # copy and reduce: where the blocks are read
    incoming_is_left: bool


class Message(NamedTuple):
    """A message of round t, with its ranges of blocks in order."""

    t: int
    sender: int
    receiver: int
    port: int
    ranges: Tuple[Range, ...]


class Verdict(NamedTuple):
    """What the verifier found. It is true if all is right; otherwise `what` says the first thing wrong."""

    right: bool
    what: str
    rounds: int
    messages: int
    moves: int
    redundant: int
    busiest: int
    critical_volume: int
    bytes: int
    group_messages: int

    def __bool__(self) -> bool:
        return self.right


def _verdict(status: int, found: Any) -> Verdict:
    what = found.what.decode("utf-8", "backslashreplace")
    if status not in (_abi.OK, _abi.EWRONG):
        _check(status, what)
    counts = {name: getattr(found, name) for name in Verdict._fields[2:]}
    return Verdict(right=status == _abi.OK, what=what, **counts)


def verify_schedule(p: int) -> Verdict:
    """Checks the four correctness conditions of the circulant schedules of all p ranks."""
    room, found = _abi.rb_schedule_room(), _abi.rb_verdict()
    try:
        return _verdict(library().rb_verify_schedule(whole("p", p, 1, MAX_RANKS), room, found), found)
    finally:
        library().rb_schedule_room_free(room)


def verify_schedule_rank(p: int, r: int) -> Verdict:
    """Checks the four conditions for relative rank r alone, for p whose tables are too large to keep."""
    found = _abi.rb_verdict()
    p = whole("p", p, 1, MAX_RANKS)
    return _verdict(library().rb_verify_schedule_rank(p, whole("r", r, 0, p - 1), found), found)


# ---- Collectives and algorithms ------------------------------------------------------------------------


def _infos(function: Any) -> List[Dict[str, Any]]:
    rows: List[Dict[str, Any]] = []
    while True:
        info = function(len(rows))
        if not info:
            return rows
        values = {name: getattr(info.contents, name) for name, _ in info.contents._fields_}
        rows.append({name: _str(value) if isinstance(value, bytes) else value for name, value in values.items()})


def collectives() -> List[Dict[str, Any]]:
    """The core's collectives, with the members of rb_collective_info."""
    return _infos(library().rb_collective_at)


def algorithms() -> List[Dict[str, Any]]:
    """The core's algorithms, with the members of rb_algorithm_info."""
    return _infos(library().rb_algorithm_at)


# ---- Plans -------------------------------------------------------------------------------------------


def _spec(
    collective: str,
    algorithm: Optional[str],
    p: int,
    n: int,
    root: int,
    ports: int,
    ordered: bool,
    radix: int,
    instance: Optional[str],
    groups: Optional[str],
) -> Any:
    return _abi.rb_plan_spec(
        collective=_bytes("collective", collective) or b"",
        algorithm=_bytes("algorithm", algorithm),
        p=whole("p", p, 1, MAX_RANKS),
        root=whole("root", root, 0, MAX_RANKS - 1),
        n=whole("n", n, 1, _INT64_MAX),
        ports=whole("ports", ports, 1, MAX_PORTS),
        ordered=bool(ordered),
        radix=whole("radix", radix, 0, MAX_RANKS),
        instance=_bytes("instance", instance),
        groups=_bytes("groups", groups),
    )


class Layout:
    """How m bytes are divided into a plan's blocks; Plan.layout makes it."""

    def __init__(self, plan: "Plan", m: int, element: int = 1, counts: str = "regular") -> None:
        self.m = whole("m", m, 0, _INT64_MAX)
        self.element = whole("element", element, 1, _INT64_MAX)
        self.counts = counts
        self._layout = _abi.rb_layout(bytes=self.m, element=self.element)
        why = ctypes.create_string_buffer(_WHY)
        _check(library().rb_layout_check(self._layout, why, _WHY), why.value)
        if plan.sizes is not None:
            if counts != "regular" or sum(plan.sizes) * self.element != self.m:
                raise Refused(f"m: the plan is for parts of {sum(plan.sizes)} elements in all, and no others")
            self._first = plan._first  # the layout points to it
            self._layout.first = self._first
            return
        rule, _, seed = counts.partition(":")
        if rule not in _abi.COUNTS[:4] or (rule == "random") != bool(seed) or not (seed or "0").isdecimal():
            raise Refused(f"counts: {counts!r} is none of: regular, mod3, degenerate, random:SEED")
        if rule != "regular":
            deal = _abi.rb_counts(rule=_abi.COUNTS.index(rule), seed=whole("seed", int(seed or "0"), 0, (1 << 64) - 1))
            shares = plan.owners * plan.parts
            if not plan.is_distributed or shares > MAX_RANKS:
                raise Refused(f"counts: {counts!r}: this plan's data are not divided among its ranks, or among too many")
            self._first = (ctypes.c_int64 * (shares + 1))()  # the layout points to it
            library().rb_counts_deal(deal, plan.owners, plan.parts, self.m // self.element, self._first)
            self._layout.first = self._first

    def __repr__(self) -> str:
        return f"Layout(m={self.m}, element={self.element}, counts={self.counts!r})"


class _Made(ctypes.c_void_p):
    """A plan in the library, freed when nothing refers to it: a call that is under way does."""


class Plan:
    """A plan: which rank sends which block to which rank in which round. It is immutable. Without an algorithm, it is
    of the collective's usual one, the first in the order of listing.

    `sizes` are the elements of each part, an alltoall's from rank 0 to each rank and so on, for an algorithm that plans
    by them (the member sizes of algorithms()); such a plan is for a layout of these parts alone.

    The plan's memory in the library is freed when the object is closed (a `with` block does so) or collected, and no
    call of another thread is under way.
    """

    def __init__(
        self,
        collective: str = "bcast",
        algorithm: Optional[str] = None,
        *,
        p: int,
        n: int = 1,
        root: int = 0,
        ports: int = 1,
        ordered: bool = False,
        radix: int = 0,
        instance: Optional[str] = None,
        groups: Optional[str] = None,
        sizes: Optional[Iterable[int]] = None,
    ) -> None:
        spec = _spec(collective, algorithm, p, n, root, ports, ordered, radix, instance, groups)
        made = _Made()
        why = ctypes.create_string_buffer(_WHY)
        self.sizes = None if sizes is None else tuple(whole("sizes", size, 0, _INT64_MAX) for size in sizes)
        if self.sizes is not None:
            with Plan(collective, algorithm, p=p, n=n, ports=ports, ordered=ordered, groups=groups) as plain:
                info = next(a for a in algorithms() if (a["collective"], a["name"]) == (collective, plain.algorithm))
                parts = plain.owners * plain.parts
            if not info["sizes"]:
                raise Refused(f"sizes: {plain.algorithm} does not plan by them")
            if len(self.sizes) != parts or sum(self.sizes) > _INT64_MAX:
                raise Refused(f"sizes: there must be {parts}, not {len(self.sizes)}, and no more than 2^63 - 1 elements")
            self._first = (ctypes.c_int64 * (parts + 1))(0, *itertools.accumulate(self.sizes))
            spec.first = self._first
        _check(library().rb_plan_create(spec, ctypes.byref(made), why, _WHY), why.value)
        self._made: Optional[_Made] = made
        # At exit, threads may still use it.
        weakref.finalize(made, library().rb_plan_destroy, made.value).atexit = False
        chosen = library().rb_plan_spec_of(made)
        self.collective = collective
        self.algorithm = _str(chosen.algorithm) or ""
        self.p: int = chosen.p
        self.n: int = chosen.n
        self.root: int = chosen.root
        self.ports: int = chosen.ports
        self.ordered: bool = chosen.ordered
        self.radix: int = chosen.radix  # 0: the algorithm has none
        self.instance = _str(chosen.instance) or ""
        self.groups = _str(chosen.groups) or ""
        self.rounds: int = library().rb_plan_rounds(made)
        self.blocks: int = library().rb_plan_blocks(made)  # per owner
        self.owners: int = library().rb_plan_owners(made)
        self.parts: int = library().rb_plan_parts(made)
        self.max_ops: int = library().rb_plan_max_ops(made)

    @property
    def _plan(self) -> ctypes.c_void_p:
        made = self._made  # once: another thread may close the plan
        if made is None:
            raise ValueError("the plan is closed")
        return made

    def close(self) -> None:
        """Frees the plan's memory once no call of another thread is under way; calling it again changes nothing."""
        self._made = None

    def __enter__(self) -> "Plan":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Plan({self.collective!r}, {self.algorithm!r}, p={self.p}, n={self.n}, root={self.root})"

    @property
    def is_distributed(self) -> bool:
        """True if every rank owns a part of the data."""
        return any(info["name"] == self.collective and info["distributed"] for info in collectives())

    @property
    def title(self) -> str:
        """The algorithm in one line."""
        return _str(library().rb_plan_algorithm(self._plan).contents.title) or ""

    def rank(self, rank: int) -> "Rank":
        """The plan of one rank; it computes the rank's schedule once."""
        return Rank(self, rank)

    def round(self, rank: int, t: int) -> List[Op]:
        """What a rank does in round t."""
        return self.rank(rank).round(t)

    def messages(self, t: Optional[int] = None) -> Iterator[Message]:
        """The messages of round t, or of all rounds in turn, by their senders."""
        ranks = [self.rank(rank) for rank in range(self.p)]
        for at in range(self.rounds) if t is None else (whole("t", t, 0, self.rounds - 1),):
            for rank in ranks:
                messages: Dict[Tuple[int, int], List[Range]] = {}
                for op in rank.round(at):
                    if op.kind == "send":
                        messages.setdefault((op.peer, op.port), []).append(op.at)
                for (peer, port), ranges in messages.items():
                    yield Message(at, rank.rank, peer, port, tuple(ranges))

    def layout(self, m: int, element: int = 1, counts: str = "regular") -> Layout:
        """How m bytes are divided into this plan's blocks."""
        return Layout(self, m, element, counts)

    def _layout_of(self, layout: Union[None, int, Layout]) -> Any:
        if layout is None or isinstance(layout, Layout):
            return layout and layout._layout
        return self.layout(layout)._layout

    def bytes_of(self, part: Range, layout: Union[int, Layout]) -> int:
        """The bytes of some blocks of this plan."""
        first, count = (whole(name, getattr(part, name), 0, self.blocks) for name in ("first", "blocks"))
        if part.buffer not in _abi.BUFFERS or first + count > self.blocks:
            raise Refused(f"{part!r}: the plan has no such blocks")
        where = _abi.rb_range(
            buffer=_abi.BUFFERS.index(part.buffer),
            owner=whole("owner", part.owner, 0, self.p - 1),
            first=first,
            count=count,
        )
        return int(library().rb_layout_bytes(self._plan, self._layout_of(layout), where))

    def verify(self, layout: Union[None, int, Layout] = None) -> Verdict:
        """Executes the plan symbolically, and checks its rules and the collective's postcondition."""
        found = _abi.rb_verdict()
        return _verdict(library().rb_verify_plan(self._plan, self._layout_of(layout), found), found)

    def cost(self, layout: Union[int, Layout], alpha_s: float, beta_s_per_byte: float) -> float:
        """The closed form: seconds without contention, a round costs alpha + beta * its longest message."""
        time = ctypes.c_double()
        alpha, beta = real("alpha_s", alpha_s), real("beta_s_per_byte", beta_s_per_byte)
        status = library().rb_plan_cost(self._plan, self._layout_of(layout), alpha, beta, time)
        _check(status, f"{self.algorithm} has no closed form for this plan and layout")
        return time.value

    @property
    def critical_volume(self) -> int:
        """C2 by the algorithm's formula: each round's longest message, in blocks, added up."""
        blocks = ctypes.c_int64()
        _check(library().rb_plan_critical_volume(self._plan, blocks), f"{self.algorithm} has no closed form")
        return blocks.value

    @property
    def bound_rounds(self) -> int:
        """The smallest number of rounds of any such plan (rb_bound_rounds says which plans)."""
        return int(library().rb_bound_rounds(self._plan))

    @property
    def bound_moves(self) -> int:
        """The smallest number of block moves of any plan for this collective."""
        return int(library().rb_bound_moves(self._plan))

    def bound_critical_volume(self, rounds: Optional[int] = None) -> int:
        """The smallest C2 of any plan, or of any plan with at most so many rounds."""
        most = _INT64_MAX if rounds is None else whole("rounds", rounds, 0, _INT64_MAX)
        return int(library().rb_bound_critical_volume(self._plan, most))


class Rank:
    """One rank's part of a plan."""

    def __init__(self, plan: Plan, rank: int) -> None:
        self.plan = plan
        self.rank = whole("rank", rank, 0, plan.p - 1)
        self._state = _abi.rb_rank()
        library().rb_plan_rank(plan._plan, self.rank, self._state)
        self._ops = _abi.rb_op * max(plan.max_ops, 1)

    def round(self, t: int) -> List[Op]:
        """What the rank does in round t."""
        t = whole("t", t, 0, self.plan.rounds - 1)
        ops = self._ops()
        count = library().rb_plan_round(self.plan._plan, self._state, t, ops)
        return [_op(op) for op in ops[:count]]

    def next(self, t: int = 0) -> int:
        """The first round >= t in which the rank does something; the plan's rounds if there is none."""
        t = whole("t", t, 0, self.plan.rounds)
        return int(library().rb_plan_next(self.plan._plan, self._state, t))

    def __iter__(self) -> Iterator[Tuple[int, List[Op]]]:
        """The rounds in which the rank does something."""
        t = self.next(0)
        while t < self.plan.rounds:
            yield t, self.round(t)
            t = self.next(t + 1)


def _range(found: Any) -> Range:
    return Range(_abi.BUFFERS[found.buffer], found.owner, found.first, found.count)


def _op(op: Any) -> Op:
    kind = _abi.KINDS[op.kind]
    source = _range(getattr(op, "from")) if kind in ("copy", "reduce") else None
    return Op(kind, op.peer, op.port, _range(op.at), source, op.incoming_is_left)


def best_n(
    collective: str = "bcast",
    algorithm: Optional[str] = None,
    *,
    p: int,
    m: int,
    alpha_s: float,
    beta_s_per_byte: float,
    root: int = 0,
    ports: int = 1,
    radix: int = 0,
    instance: Optional[str] = None,
    groups: Optional[str] = None,
) -> int:
    """The n that minimises the closed form for m bytes."""
    spec = _spec(collective, algorithm, p, 1, root, ports, False, radix, instance, groups)
    n = ctypes.c_int64()
    alpha, beta = real("alpha_s", alpha_s), real("beta_s_per_byte", beta_s_per_byte)
    status = library().rb_best_n(spec, whole("m", m, 0, _INT64_MAX), alpha, beta, n)
    _check(status, f"{collective} {algorithm or ''}, p = {p}: there is no such plan, or it has no closed form")
    return n.value


def best_radix(
    collective: str = "alltoall",
    algorithm: str = "bruck",
    *,
    p: int,
    m: int,
    alpha_s: float,
    beta_s_per_byte: float,
    n: int = 1,
    ports: int = 1,
    power_of_two: bool = False,
) -> int:
    """The radix that minimises the closed form; 0 if none fits."""
    spec = _spec(collective, algorithm, p, n, 0, ports, False, 0, None, None)
    radix = ctypes.c_int32()
    m = whole("m", m, 0, _INT64_MAX)
    alpha, beta = real("alpha_s", alpha_s), real("beta_s_per_byte", beta_s_per_byte)
    status = library().rb_best_radix(spec, m, alpha, beta, bool(power_of_two), radix)
    _check(status, f"{collective} {algorithm}, p = {p}: there is no such plan, or it has no radix or closed form")
    return radix.value


def is_supported(
    collective: str,
    algorithm: str,
    *,
    p: int,
    radix: int = 0,
    instance: Optional[str] = None,
) -> bool:
    """True if the algorithm can be planned for this p, with this radix and instance."""
    return bool(library().rb_plan_is_supported(_spec(collective, algorithm, p, 1, 0, 1, False, radix, instance, None)))
