/* types.c - objects behind handles, datatypes as lists of runs of bytes, and operators. */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>

/* ---- Objects --------------------------------------------------------------------------------- */

enum { FIRST_HANDLE = 10000, MOST_OBJECTS = 1 << 20 };
const char *const sm_kind_name[SM_KINDS] = {"request", "datatype",      "operator", "communicator",
                                            "group",   "error handler", "key"};
static struct sm_object *objects[MOST_OBJECTS];
static int object_count;
static int alive[1 + SM_MOST_RANKS][SM_KINDS]; /* by owner + 1 */

void *sm_object_make(enum sm_kind kind, size_t bytes)
{
    struct sm_object *object = sm_memory(bytes);
    if (object_count == MOST_OBJECTS)
        sm_fault("more than %d objects", MOST_OBJECTS);
    *object = (struct sm_object){
        .kind = kind, .owner = sm_current, .handle = FIRST_HANDLE + object_count};
    objects[object_count++] = object;
    alive[1 + sm_current][kind]++;
    return object;
}

void *sm_object_of(int handle, enum sm_kind kind)
{
    const int index = handle - FIRST_HANDLE;
    if (index < 0 || index >= object_count)
        sm_fault("rank %d: %d is no handle of a %s", sm_current, handle, sm_kind_name[kind]);
    struct sm_object *object = objects[index];
    if (object->kind != kind || object->freed || (sm_current >= 0 && object->owner != sm_current))
        sm_fault("rank %d: the handle %d is that of a %s%s of rank %d, not of a %s", sm_current,
                 handle, object->freed ? "freed " : "", sm_kind_name[object->kind], object->owner,
                 sm_kind_name[kind]);
    return object;
}

void sm_object_free(void *freed)
{
    struct sm_object *object = freed;
    object->freed = true;
    alive[1 + object->owner][object->kind]--;
}

int sm_objects(int rank, enum sm_kind kind)
{
    return alive[1 + rank][kind];
}

/* ---- Datatypes ------------------------------------------------------------------------------- */

static struct sm_type named[SM_TYPES_END - MPI_INT];
static struct sm_run named_run[SM_TYPES_END - MPI_INT];

void sm_types_begin(void)
{
    static const unsigned char sizes[SM_TYPES_END - MPI_INT] = {
        4, 4, 8, 8, 8, 1, 1, 1,  8, 4, 8, 8, 1, 2,  4, 2,  8, 1,  1, 2, 1,  2, 1,
        8, 8, 8, 4, 4, 1, 4, 16, 8, 4, 4, 8, 8, 12, 8, 12, 6, 20, 8, 8, 16, 1, 16};
    object_count = 0;
    memset(alive, 0, sizeof alive);
    for (int i = 0; i < SM_TYPES_END - MPI_INT; i++) {
        named_run[i] = (struct sm_run){0, sizes[i]};
        named[i] = (struct sm_type){.named = true,
                                    .committed = true,
                                    .size = sizes[i],
                                    .extent = sizes[i],
                                    .true_extent = sizes[i],
                                    .runs = 1,
                                    .run = &named_run[i]};
    }
}

const struct sm_type *sm_type_of(MPI_Datatype type)
{
    return type >= MPI_INT && type < SM_TYPES_END ? &named[type - MPI_INT]
                                                  : sm_object_of(type, SM_TYPE);
}

static void add_run(struct sm_type *type, MPI_Aint at, size_t bytes)
{
    struct sm_run *last = &type->run[type->runs - 1];
    if (bytes == 0)
        return;
    if (type->runs > 0 && last->at + (MPI_Aint)last->bytes == at)
        last->bytes += bytes;
    else
        type->run[type->runs++] = (struct sm_run){at, bytes};
}

static bool is_plain(const struct sm_type *type)
{
    return type->runs == 1 && (MPI_Aint)type->run[0].bytes == type->extent;
}

static void find_extents(struct sm_type *type)
{
    for (int i = 0; i < type->runs; i++) {
        const MPI_Aint at = type->run[i].at, last = at + (MPI_Aint)type->run[i].bytes;
        const MPI_Aint end = type->true_lb + type->true_extent;
        type->true_lb = i == 0 || at < type->true_lb ? at : type->true_lb;
        type->true_extent = (i == 0 || last > end ? last : end) - type->true_lb;
    }
}

static int64_t count_runs(int count, const int length[], const MPI_Datatype of[], bool one)
{
    int64_t runs = 0;
    for (int i = 0; i < count; i++) {
        const struct sm_type *part = sm_type_of(of[one ? 0 : i]);
        runs += is_plain(part) ? 1 : (int64_t)length[i] * part->runs;
    }
    return runs;
}

/* `one`: of[0] stands for all. */
static int make(int count, const int length[], const MPI_Aint at[], const MPI_Datatype of[],
                bool one, MPI_Datatype *result)
{
    int error = sm_refused(MPI_COMM_WORLD);
    if (error != MPI_SUCCESS)
        return error;
    struct sm_type *type = sm_object_make(SM_TYPE, sizeof *type);
    MPI_Aint end = 0;
    type->run = sm_memory((size_t)count_runs(count, length, of, one) * sizeof *type->run);
    for (int i = 0; i < count; i++) {
        const struct sm_type *part = sm_type_of(of[one ? 0 : i]);
        const MPI_Aint first = at[i] + part->lb, last = first + length[i] * part->extent;
        type->size += (size_t)length[i] * part->size;
        type->lb = i == 0 || first < type->lb ? first : type->lb;
        end = i == 0 || last > end ? last : end;
        if (is_plain(part))
            add_run(type, at[i] + part->run[0].at, (size_t)length[i] * part->size);
        else
            for (int64_t j = 0; j < (int64_t)length[i] * part->runs; j++)
                add_run(type, at[i] + j / part->runs * part->extent + part->run[j % part->runs].at,
                        part->run[j % part->runs].bytes);
    }
    type->extent = end - type->lb;
    find_extents(type);
    *result = type->object.handle;
    return MPI_SUCCESS;
}

int PMPI_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype *type)
{
    return make(1, &count, (MPI_Aint[]){0}, &of, true, type);
}

int PMPI_Type_create_hindexed(int count, const int length[], const MPI_Aint at[], MPI_Datatype of,
                              MPI_Datatype *type)
{
    return make(count, length, at, &of, true, type);
}

int PMPI_Type_create_hindexed_block(int count, int length, const MPI_Aint at[], MPI_Datatype of,
                                    MPI_Datatype *type)
{
    int lengths[2] = {length, length};
    return count > 2 ? MPI_ERR_COUNT : make(count, lengths, at, &of, true, type);
}

int PMPI_Type_create_struct(int count, const int length[], const MPI_Aint at[],
                            const MPI_Datatype of[], MPI_Datatype *type)
{
    return make(count, length, at, of, false, type);
}

int PMPI_Type_create_resized(MPI_Datatype of, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *result)
{
    struct sm_type *type = sm_object_make(SM_TYPE, sizeof *type);
    const struct sm_object object = type->object;
    *type = *sm_type_of(of);
    type->object = object;
    type->named = type->committed = false;
    type->lb = lb;
    type->extent = extent;
    *result = object.handle;
    return MPI_SUCCESS;
}

int PMPI_Type_commit(MPI_Datatype *type)
{
    const int error = sm_refused(MPI_COMM_WORLD);
    if (error == MPI_SUCCESS)
        ((struct sm_type *)sm_object_of(*type, SM_TYPE))->committed = true;
    return error;
}

/* Messages under way keep what they need. */
int PMPI_Type_free(MPI_Datatype *type)
{
    sm_object_free(sm_object_of(*type, SM_TYPE));
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int PMPI_Type_size(MPI_Datatype type, int *size)
{
    *size = (int)sm_type_of(type)->size;
    return MPI_SUCCESS;
}

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count *size)
{
    *size = (MPI_Count)sm_type_of(type)->size;
    return sm_refused(MPI_COMM_WORLD);
}

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent)
{
    *lb = sm_type_of(type)->lb;
    *extent = sm_type_of(type)->extent;
    return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent)
{
    *lb = sm_type_of(type)->true_lb;
    *extent = sm_type_of(type)->true_extent;
    return MPI_SUCCESS;
}

int PMPI_Type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *types,
                           int *combiner)
{
    *integers = *addresses = *types = 0;
    *combiner = sm_type_of(type)->named ? MPI_COMBINER_NAMED : MPI_COMBINER_HINDEXED;
    return MPI_SUCCESS;
}

int PMPI_Get_address(const void *at, MPI_Aint *address)
{
    *address = (MPI_Aint)at;
    return MPI_SUCCESS;
}

void sm_pack(const struct sm_type *type, int count, const void *data, char *packed)
{
    if (is_plain(type) && count > 0)
        memcpy(packed, (const char *)data + type->run[0].at, (size_t)count * type->size);
    for (int e = 0; e < count && !is_plain(type); e++)
        for (int i = 0; i < type->runs; i++) {
            const char *from =
                (const char *)((uintptr_t)data + (uintptr_t)(e * type->extent + type->run[i].at));
            memcpy(packed, from, type->run[i].bytes);
            packed += type->run[i].bytes;
        }
}

void sm_unpack(const struct sm_type *type, int count, void *data, const char *packed, size_t bytes)
{
    if (is_plain(type) && bytes > 0)
        memcpy((char *)data + type->run[0].at, packed, bytes);
    for (int e = 0; e < count && !is_plain(type); e++)
        for (int i = 0; i < type->runs && bytes > 0; i++) {
            const size_t now = type->run[i].bytes < bytes ? type->run[i].bytes : bytes;
            memcpy((void *)((uintptr_t)data + (uintptr_t)(e * type->extent + type->run[i].at)),
                   packed, now);
            packed += now;
            bytes -= now;
        }
}

/* Both ways between memory and packed bytes. */
static int move_packed(bool packs, const void *packed, int size, int *position, const void *data,
                       int count, MPI_Datatype type, MPI_Comm comm)
{
    const size_t bytes = (size_t)count * sm_type_of(type)->size;
    const int error = sm_refused(comm);
    char *at = (char *)(uintptr_t)packed + *position;
    if (error != MPI_SUCCESS || bytes > (size_t)(size - *position))
        return error != MPI_SUCCESS ? error : sm_raise(comm, MPI_ERR_TRUNCATE);
    if (packs)
        sm_pack(sm_type_of(type), count, data, at);
    else
        sm_unpack(sm_type_of(type), count, (void *)(uintptr_t)data, at, bytes);
    *position += (int)bytes;
    return MPI_SUCCESS;
}

int PMPI_Pack(const void *data, int count, MPI_Datatype type, void *packed, int size, int *position,
              MPI_Comm comm)
{
    return move_packed(true, packed, size, position, data, count, type, comm);
}

int PMPI_Unpack(const void *packed, int size, int *position, void *data, int count,
                MPI_Datatype type, MPI_Comm comm)
{
    return move_packed(false, packed, size, position, data, count, type, comm);
}

/* ---- Operators ------------------------------------------------------------------------------- */

struct op {
    struct sm_object object;
    MPI_User_function *function;
    int commutes;
};

int PMPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *result)
{
    struct op *op = sm_object_make(SM_OP, sizeof *op);
    op->function = function;
    op->commutes = commutes;
    *result = op->object.handle;
    return MPI_SUCCESS;
}

int PMPI_Op_free(MPI_Op *op)
{
    sm_object_free(sm_object_of(*op, SM_OP));
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

static bool is_own(MPI_Op op)
{
    return op > MPI_OP_NULL && op <= MPI_NO_OP;
}

int PMPI_Op_commutative(MPI_Op op, int *commutes)
{
    *commutes = is_own(op) || ((struct op *)sm_object_of(op, SM_OP))->commutes;
    return MPI_SUCCESS;
}

/* `rest`: what another operator makes of a and b. */
#define NUMBERS(name, type, rest)                                                                  \
    static void combine_##name(MPI_Op op, const type *in, type *inout, int count)                  \
    {                                                                                              \
        for (int i = 0; i < count; i++) {                                                          \
            const type a = in[i], b = inout[i];                                                    \
            inout[i] = op == MPI_SUM   ? a + b                                                     \
                       : op == MPI_MAX ? (a > b ? a : b)                                           \
                       : op == MPI_MIN ? (a < b ? a : b)                                           \
                                       : (rest);                                                   \
        }                                                                                          \
    }
NUMBERS(unsigned, uint32_t, a &b)
NUMBERS(int, int32_t, a != 0 && b != 0)
NUMBERS(words, uint64_t, a &b)
NUMBERS(real, double, 0)

bool sm_combine(MPI_Op op, MPI_Datatype type, const void *in, void *inout, int count)
{
    if (!is_own(op)) {
        const struct op *own = sm_object_of(op, SM_OP);
        if (count > 0)
            own->function((void *)(uintptr_t)in, inout, &count, &type);
        return true;
    }
    const bool known = op == MPI_SUM || op == MPI_MAX || op == MPI_MIN;
    if (type == MPI_INT && (known || op == MPI_LAND))
        combine_int(op, in, inout, count);
    else if (type == MPI_UINT32_T && (known || op == MPI_BAND))
        combine_unsigned(op, in, inout, count);
    else if (type == MPI_UINT64_T && (known || op == MPI_BAND))
        combine_words(op, in, inout, count);
    else if (type == MPI_DOUBLE && known)
        combine_real(op, in, inout, count);
    else
        return false;
    return true;
}

int PMPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    const int error = count > 0 ? sm_refused(MPI_COMM_WORLD) : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error;
    return sm_combine(op, type, in, inout, count) ? MPI_SUCCESS
                                                  : sm_raise(MPI_COMM_WORLD, MPI_ERR_OP);
}
