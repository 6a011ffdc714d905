"""The C interface of libroundabout (roundabout.h), for ctypes.

Functions are declared as in the header. A test compiles these declarations together with the header, so that the
compiler compares them, and compares the sizes and offsets of the structs.
"""

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Type

from ._errors import Failed, NotFound
from ._program import find_program
from ._version import RELEASE

MAX_Q = 30
MAX_RANKS = 1 << 30
MAX_PORTS = 1024
OK, EINVAL, ENOMEM, EWRONG, ENOTSUP, EIO, EFAILED = 0, -1, -2, -3, -4, -5, -6
BUFFERS = ("src", "dst", "tmp")
KINDS = ("send", "recv", "recv-reduce", "copy", "reduce")
COUNTS = ("regular", "mod3", "degenerate", "random", "zipf", "hot", "banded", "given")

# The header's constants, for the test.
CONSTANTS: Dict[str, int] = {
    "RB_MAX_RANKS": MAX_RANKS,
    "RB_MAX_Q": MAX_Q,
    "RB_MAX_PORTS": MAX_PORTS,
    "RB_OK": OK,
    "RB_EINVAL": EINVAL,
    "RB_ENOMEM": ENOMEM,
    "RB_EWRONG": EWRONG,
    "RB_ENOTSUP": ENOTSUP,
    "RB_EIO": EIO,
    "RB_EFAILED": EFAILED,
    "RB_SRC": BUFFERS.index("src"),
    "RB_DST": BUFFERS.index("dst"),
    "RB_TMP": BUFFERS.index("tmp"),
    "RB_BUFFERS": len(BUFFERS),
    "RB_SEND": KINDS.index("send"),
    "RB_RECV": KINDS.index("recv"),
    "RB_RECV_REDUCE": KINDS.index("recv-reduce"),
    "RB_COPY": KINDS.index("copy"),
    "RB_REDUCE": KINDS.index("reduce"),
    "RB_OP_KINDS": len(KINDS),
    "RB_COUNTS_REGULAR": COUNTS.index("regular"),
    "RB_COUNTS_MOD3": COUNTS.index("mod3"),
    "RB_COUNTS_DEGENERATE": COUNTS.index("degenerate"),
    "RB_COUNTS_RANDOM": COUNTS.index("random"),
    "RB_COUNTS_ZIPF": COUNTS.index("zipf"),
    "RB_COUNTS_HOT": COUNTS.index("hot"),
    "RB_COUNTS_BANDED": COUNTS.index("banded"),
    "RB_COUNTS_GIVEN": COUNTS.index("given"),
}

i8, i32, i64, u64 = ctypes.c_int8, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64
text, yes, real, enum = ctypes.c_char_p, ctypes.c_bool, ctypes.c_double, ctypes.c_int


class rb_circulant(ctypes.Structure):
    _fields_ = [
        ("p", i32),
        ("q", i32),
        ("skip", i32 * (MAX_Q + 2)),
        ("odd", i32 * (MAX_Q + 1)),
        ("odd_at", i32 * (MAX_Q + 1)),
        ("low", i32),
    ]


class rb_range(ctypes.Structure):
    _fields_ = [("buffer", enum), ("owner", i32), ("first", i64), ("count", i64)]


class rb_op(ctypes.Structure):
    _fields_ = [
        ("kind", enum),
        ("peer", i32),
        ("port", i32),
        ("incoming_is_left", yes),
        ("at", rb_range),
        ("from", rb_range),
    ]


class rb_collective_info(ctypes.Structure):
    _fields_ = [
        ("name", text),
        ("title", text),
        ("rooted", yes),
        ("reducing", yes),
        ("distributed", yes),
        ("personalized", yes),
        ("instance", text),
        ("fixed_counts", yes),
    ]


class rb_algorithm_info(ctypes.Structure):
    _fields_ = [
        ("collective", text),
        ("name", text),
        ("title", text),
        ("paper", text),
        ("rounds", text),
        ("blocks", text),
        ("radix", text),
        ("ranks", text),
        ("pipelined", yes),
        ("circulant", yes),
        ("groups", yes),
        ("places", yes),
        ("one_per_port", yes),
        ("own_nic", yes),
        ("sizes", yes),
        ("neighbours", yes),
        ("only", ctypes.c_void_p),
        ("root", text),
    ]


class rb_plan_spec(ctypes.Structure):
    _fields_ = [
        ("collective", text),
        ("algorithm", text),
        ("p", i32),
        ("root", i32),
        ("n", i64),
        ("ports", i32),
        ("ordered", yes),
        ("radix", i32),
        ("instance", text),
        ("groups", text),
        ("first", ctypes.POINTER(i64)),
        ("neighbours", ctypes.c_void_p),
    ]


class _rank_state(ctypes.Union):
    _fields_ = [("number", i64 * 16), ("byte", i8 * 128)]


class rb_rank(ctypes.Structure):
    _fields_ = [("rank", i32), ("relative", i32), ("state", _rank_state)]


class rb_layout(ctypes.Structure):
    _fields_ = [("bytes", i64), ("element", i64), ("first", ctypes.POINTER(i64))]


class rb_counts(ctypes.Structure):
    _fields_ = [
        ("rule", enum),
        ("seed", u64),
        ("skew", real),
        ("some", i32),
        ("factor", i64),
        ("weight", ctypes.POINTER(i64)),
    ]


class rb_verdict(ctypes.Structure):
    _fields_ = [
        ("rounds", i64),
        ("messages", i64),
        ("moves", i64),
        ("redundant", i64),
        ("busiest", i64),
        ("critical_volume", i64),
        ("bytes", i64),
        ("group_messages", i64),
        ("what", ctypes.c_char * 400),
        ("note", ctypes.c_char * 400),
        ("room", i64),
        ("no_contract", yes),
    ]


class rb_schedule_room(ctypes.Structure):
    _fields_ = [
        ("base", ctypes.POINTER(i8)),
        ("send", ctypes.POINTER(i8)),
        ("recv", ctypes.POINTER(i8)),
        ("capacity", ctypes.c_size_t),
    ]


STRUCTS: List[Type[ctypes.Structure]] = [
    rb_circulant,
    rb_range,
    rb_op,
    rb_collective_info,
    rb_algorithm_info,
    rb_plan_spec,
    rb_rank,
    rb_layout,
    rb_counts,
    rb_verdict,
    rb_schedule_room,
]

PROTOTYPES = """
int rb_circulant_init(struct rb_circulant *graph, int32_t p);
int32_t rb_circulant_baseblock(const struct rb_circulant *graph, int32_t r);
void rb_circulant_recv(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void rb_circulant_send(const struct rb_circulant *graph, int32_t r, int8_t block[]);
void rb_circulant_table(const struct rb_circulant *graph, int8_t base[], int8_t recv[], int8_t send[]);
const struct rb_collective_info *rb_collective_at(int32_t i);
const struct rb_algorithm_info *rb_algorithm_at(int32_t i);
int rb_plan_create(const struct rb_plan_spec *spec, struct rb_plan **plan, char *why, size_t why_size);
bool rb_plan_is_supported(const struct rb_plan_spec *spec);
void rb_plan_destroy(struct rb_plan *plan);
struct rb_plan_spec rb_plan_spec_of(const struct rb_plan *plan);
const struct rb_algorithm_info *rb_plan_algorithm(const struct rb_plan *plan);
int32_t rb_plan_ranks(const struct rb_plan *plan);
int64_t rb_plan_blocks(const struct rb_plan *plan);
int32_t rb_plan_owners(const struct rb_plan *plan);
int32_t rb_plan_parts(const struct rb_plan *plan);
int64_t rb_plan_rounds(const struct rb_plan *plan);
int32_t rb_plan_max_ops(const struct rb_plan *plan);
void rb_plan_rank(const struct rb_plan *plan, int32_t rank, struct rb_rank *state);
int32_t rb_plan_round(const struct rb_plan *plan, const struct rb_rank *state, int64_t t, struct rb_op ops[]);
int64_t rb_plan_next(const struct rb_plan *plan, const struct rb_rank *state, int64_t t);
int rb_layout_check(const struct rb_layout *layout, char *why, size_t why_size);
int64_t rb_layout_bytes(const struct rb_plan *plan, const struct rb_layout *layout, const struct rb_range *range);
void rb_counts_deal(const struct rb_counts *counts, int32_t owners, int32_t parts, int64_t elements, int64_t first[]);
int rb_plan_cost(const struct rb_plan *plan, const struct rb_layout *layout, double alpha_s, double beta_s_per_byte, double *time_s);
int rb_best_n(const struct rb_plan_spec *spec, int64_t bytes, double alpha_s, double beta_s_per_byte, int64_t *n);
int rb_best_radix(const struct rb_plan_spec *spec, int64_t bytes, double alpha_s, double beta_s_per_byte, bool power_of_two, int32_t *radix);
int64_t rb_bound_rounds(const struct rb_plan *plan);
int64_t rb_bound_moves(const struct rb_plan *plan);
int64_t rb_bound_critical_volume(const struct rb_plan *plan, int64_t rounds);
int rb_plan_critical_volume(const struct rb_plan *plan, int64_t *blocks);
int rb_verify_plan(const struct rb_plan *plan, const struct rb_layout *layout, struct rb_verdict *verdict);
int rb_verify_schedule(int32_t p, struct rb_schedule_room *room, struct rb_verdict *verdict);
void rb_schedule_room_free(struct rb_schedule_room *room);
int rb_verify_schedule_table(int32_t p, const struct rb_schedule_room *room, struct rb_verdict *verdict);
int rb_verify_schedule_rank(int32_t p, int32_t r, struct rb_verdict *verdict);
"""

_PLAIN: Dict[str, Any] = {
    "void": None,
    "int": ctypes.c_int,
    "int8_t": i8,
    "int32_t": i32,
    "int64_t": i64,
    "size_t": ctypes.c_size_t,
    "bool": yes,
    "double": real,
    "char": ctypes.c_char,
    "rb_plan": ctypes.c_void_p,
    **{struct.__name__: struct for struct in STRUCTS},
}


def _type(base: str, stars: int) -> Any:
    if base == "char" and stars == 1:
        return text
    if base == "rb_plan":  # opaque: only ever a pointer
        stars -= 1
    kind = _PLAIN[base]
    for _ in range(stars):
        kind = ctypes.POINTER(kind)
    return kind


def prototypes() -> Iterator[Any]:
    """The functions: name, type of the result, types of the parameters."""
    form = re.compile(r"(?:const )?(?:struct )?(\w+) (\**)(\w+)(\[\])?$")
    for line in PROTOTYPES.strip().splitlines():
        head, _, parameters = line.rstrip(");").partition("(")
        words = form.match(head)
        assert words is not None, line
        kinds = []
        for parameter in parameters.split(", "):
            part = form.match(parameter)
            assert part is not None, line
            kinds.append(_type(part[1], len(part[2]) + bool(part[4])))
        yield words[3], _type(words[1], len(words[2])), kinds


SONAME = "libroundabout.so." + RELEASE.split(".")[0]


def _candidates() -> Iterator[str]:
    """Where the library may be: beside the program, in its build tree, where the loader or pkg-config looks."""
    try:
        program: Optional[Path] = Path(find_program()).resolve()
    except NotFound:
        program = None
    if program is not None:
        build = os.environ.get("ROUNDABOUT_BUILD")
        builds = [Path(build)] if build else []
        for folder in (program.parent, *builds, program.parent / "build" / "release"):
            yield str(folder / "schedules" / SONAME)
        lib = program.parent.parent / "lib"
        yield str(lib / SONAME)
        yield from (str(found) for found in sorted(lib.glob("*/" + SONAME)))
    yield SONAME
    tool = shutil.which("pkg-config")
    if tool is not None:
        found = subprocess.run([tool, "--variable=libdir", "roundabout"], capture_output=True, check=False, text=True)
        if found.returncode == 0 and found.stdout.strip():
            yield os.path.join(found.stdout.strip(), SONAME)


def _open(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    for name, result, parameters in prototypes():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = parameters
    return library


def load() -> ctypes.CDLL:
    """The library: $ROUNDABOUT_LIBRARY, or the first that is found."""
    named = os.environ.get("ROUNDABOUT_LIBRARY")
    if named:
        try:
            return _open(os.path.abspath(named))
        except (OSError, AttributeError) as error:
            raise NotFound(f"ROUNDABOUT_LIBRARY={named}: {error}") from error
    for path in _candidates():
        if os.sep in path and not os.path.exists(path):
            continue
        try:
            return _open(path)
        except OSError:
            continue
        except AttributeError as error:
            raise Failed(f"{path}: this is another release than {RELEASE}: {error}") from error
    raise NotFound(f"{SONAME} is not found: build or install Roundabout, or set ROUNDABOUT_LIBRARY to its path")
