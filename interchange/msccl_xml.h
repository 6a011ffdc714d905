/* msccl_xml.h - schedules as MSCCL's and RCCL's runtimes read them, XML, and MSCCL++'s, JSON.
 *
 *   <algo name proto ngpus coll nchannels nchunksperloop inplace outofplace>
 *     <gpu id i_chunks o_chunks s_chunks>     a rank, with its input, output and scratch
 *       <tb id send recv chan>                a threadblock, with at most two peers
 *         <step s type srcbuf srcoff dstbuf dstoff cnt depid deps hasdep/>
 *
 * The types are s (send), r (receive), cpy (copy), re (combine), nop (only waits), and rcs, rrs,
 * rrc, rrcs: receive, combine (r) or not, keep (c) or not, send. A step waits for step `deps` of
 * threadblock `depid` of its rank, which must have hasdep="1". */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "interchange/programs/program.h"
#include "roundabout.h"
#include "support/error.h"

/* What RCCL refuses, and for steps and threadblocks what MSCCL refuses. */
enum {
    INTER_RCCL_STEPS = 64, /* of a threadblock, at most */
    INTER_MSCCL_STEPS = 256,
    INTER_RCCL_THREADBLOCKS = 64, /* of a rank, at most */
    INTER_MSCCL_THREADBLOCKS = 216,
    INTER_RCCL_COUNT = 71, /* chunks of a step, at most */
    INTER_RCCL_CHANNELS = 32,
    INTER_RCCL_CHUNKS = 32767, /* of a buffer */
};

/* What runtimes refuse, or do otherwise than one would think, though the program may be right. */
enum inter_msccl_remark {
    INTER_STEPS,
    INTER_THREADBLOCKS,
    INTER_COUNT,
    INTER_GAP,
    INTER_LOOSE_NOP,
    INTER_NOT_HEARD,
    INTER_CHUNKS,
    INTER_ELEMENT,
    INTER_ROOT,
    INTER_REMARKS
};
extern const char *const inter_msccl_remarks[INTER_REMARKS];

/* What a file says besides the program. */
struct inter_msccl {
    char collective[32];
    bool in_place, out_of_place;
    int32_t remark[INTER_REMARKS]; /* the line that it is first true of; 0: none */
};

/* Reads a file into a zeroed program, which the caller frees, also after a failure. The path is for
 * messages. Files for both places are read as in place, or else if `out_of_place`. A step that
 * waits for one with hasdep="0" waits for the next one of that threadblock with hasdep="1", as it
 * would on a GPU. The file doesn't name roots: that of a broadcast is the only rank that has
 * something to send before it waits, that of a reduction the only one that keeps something at the
 * end; if there are several (INTER_ROOT), the contract is unknown. Document types, and with them
 * entities, are refused. RB_EINVAL with path and line, RB_ENOMEM. O(steps). */
int inter_msccl_read(FILE *stream, const char *path, bool out_of_place, struct prg_program *program,
                     struct inter_msccl *about, struct sup_error *error);

/* A plan on buffers of chunks, for the writers of MSCCL's XML and MSCCL++'s JSON: a block is a
 * chunk. */
struct inter_msccl_form {
    const struct rb_plan *plan;
    const char *name;        /* the collective's there */
    char letter[RB_BUFFERS]; /* the buffers' */
    int32_t chunks;          /* of the larger of input and output */
    int32_t room, scratch;   /* of the largest buffer, and of TMP */
    int32_t input, output;   /* chunks */
};
/* RB_EINVAL, with the format's name in the message, if it has no such collective or a buffer would
 * have more than `most` chunks. The plan must outlive the form. */
int inter_msccl_form(const struct rb_plan *plan, const char *format, int32_t most,
                     struct inter_msccl_form *form, struct sup_error *error);
/* The number of a range's first block in its buffer. O(1). */
int32_t inter_msccl_chunk(const struct inter_msccl_form *form, const struct rb_range *range);
/* RB_EINVAL: "FORMAT refuses more than MOST WHAT, which rank RANK would have". */
int inter_msccl_refuse(const char *format, int32_t most, const char *what, int32_t rank,
                       struct sup_error *error);

/* Writes a plan of bcast, reduce, allreduce, allgather, reduce-scatter or alltoall, with a
 * threadblock per peer, direction and channel, and one for local operations. The order of operands
 * is lost, since the format is for commutative operators. RB_EINVAL if the format can't say the
 * plan or MSCCL would refuse it, RB_EWRONG if the plan is wrong; then a part of it has been
 * written. RB_ENOMEM. O(operations * threadblocks of a rank). */
int inter_msccl_write(const struct rb_plan *plan, FILE *stream, struct sup_error *error);

/* ---- MSCCL++'s JSON -------------------------------------------------------------------------- */

/* As its executor reads it: microsoft/mscclpp at 1f5f065d, execution_plan.cc and
 * execution_kernel.hpp. */

enum { INTER_MSCCLPP_CHUNKS = 1 << 16 /* of a buffer, at most; our limit */ };

/* Reads a text into a program, which prg_free frees, also after a failure. The path is for
 * messages. A threadblock is a thread whose operations run in the file's order, as if a nop, which
 * lets its GPU threads wait for each other, stood between each two. What a port channel does is a
 * thread of its own, which flush waits for. A relaxed signal orders nothing but the wait. A
 * pipeline runs once, as it does for one unit of data. Operations on packets (protocol LL) are not
 * known. A member "root", which the executor ignores, is the root; without it rank 0 is. RB_EINVAL
 * with the path and the operation's place. O(operations * channels of a rank). */
int inter_read_mscclpp(const char *text, const char *path, struct prg_program *program,
                       struct sup_error *error);

/* Writes a plan of bcast, reduce, allreduce, allgather, reduce-scatter or alltoall; a block is a
 * chunk. RB_EINVAL, and nothing is written, if the format or the executor can't take the plan: an
 * ordered one, more than 256 ranks, or too many operations of a rank. RB_EWRONG if the plan is
 * wrong. O(p^2 + operations * operations of a rank's round). */
int inter_mscclpp_write(const struct rb_plan *plan, FILE *stream, struct sup_error *error);
