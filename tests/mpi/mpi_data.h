/* mpi_data.h - random cases for tests on MPI: datatypes, operators, data.
 *
 * An element is one or two uint32_t, `words`, in a datatype that may have gaps and start elsewhere
 * than at 0. Data are random throughout, gaps too, so that a byte out of place shows. */
#ifndef TESTS_MPI_MPI_DATA_H
#define TESTS_MPI_MPI_DATA_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* SplitMix64. All ranks of a case draw the same from the same state. */
static inline uint64_t draw(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline int draw_below(uint64_t *state, int bound)
{
    return (int)(draw(state) % (uint64_t)bound);
}

enum kind { INTS, PAIRS, GAPS, SHIFTED, WOVEN, KINDS };
static const char *const kind_name[KINDS] = {"ints", "pairs", "gaps", "shifted", "woven"};

struct data_type {
    MPI_Datatype type;
    MPI_Aint extent;
    MPI_Aint word[2]; /* where the words of an element lie */
    int words;
};

static inline MPI_Datatype pair_at(MPI_Aint first, MPI_Aint second, MPI_Aint extent)
{
    const MPI_Aint at[2] = {first, second};
    MPI_Datatype words, type;
    MPI_Type_create_hindexed_block(2, 1, at, MPI_UINT32_T, &words);
    MPI_Type_create_resized(words, 0, extent, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&words);
    return type;
}

static inline struct data_type data_type_of(enum kind kind)
{
    static const MPI_Aint place[KINDS][3] = {
        [PAIRS] = {0, 4, 8},     /* no gap, but derived */
        [GAPS] = {0, 8, 16},     /* a gap within, and one behind */
        [SHIFTED] = {4, 12, 20}, /* a true lower bound of 4 */
        [WOVEN] = {0, 20, 8},    /* longer than its extent: elements interleave */
    };
    if (kind == INTS)
        return (struct data_type){MPI_UINT32_T, 4, {0, 0}, 1};
    const MPI_Aint *at = place[kind];
    return (struct data_type){pair_at(at[0], at[1], at[2]), at[2], {at[0], at[1]}, 2};
}

static inline void data_type_free(struct data_type *type)
{
    if (type->words > 1)
        MPI_Type_free(&type->type);
}

/* Bytes of memory for so many elements, and some more behind that nobody may touch. */
static inline size_t data_room(const struct data_type *type, int64_t elements)
{
    return (size_t)(elements * type->extent) + 32;
}

static inline uint32_t *data_word(const struct data_type *type, void *data, int64_t element,
                                  int word)
{
    return (uint32_t *)(void *)((char *)data + element * type->extent + type->word[word]);
}

static inline void *data_random(size_t bytes, uint64_t seed)
{
    unsigned char *data = malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(draw(&seed) >> 56);
    return data;
}

static inline void *data_copy(const void *data, size_t bytes)
{
    void *copy = malloc(bytes);
    memcpy(copy, data, bytes);
    return copy;
}

/* ---- Operators on pairs, in whatever datatype ------------------------------------------------ */

/* Where the two words of the first element lie; pairs as made above. */
static inline MPI_Aint pair_words(MPI_Datatype type, MPI_Aint word[2])
{
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    word[0] = true_lb;
    word[1] = true_lb + true_extent - 4;
    return extent;
}

/* Words are the coefficients of x -> a x + b (mod 2^32), composed left to right: associative, not
 * commutative. The first word is a. */
static void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    MPI_Aint word[2];
    const MPI_Aint extent = pair_words(*type, word);
    for (int i = 0; i < *length; i++) {
        const uint32_t *a = (void *)((char *)in + i * extent + word[0]);
        const uint32_t *b = (void *)((char *)in + i * extent + word[1]);
        uint32_t *c = (void *)((char *)inout + i * extent + word[0]);
        uint32_t *d = (void *)((char *)inout + i * extent + word[1]);
        *d = *c * *b + *d;
        *c = *a * *c;
    }
}

/* Sum and exclusive or. */
static void sum_and_xor(void *in, void *inout, int *length, MPI_Datatype *type)
{
    MPI_Aint word[2];
    const MPI_Aint extent = pair_words(*type, word);
    for (int i = 0; i < *length; i++)
        for (int k = 0; k < 2; k++) {
            const uint32_t *a = (void *)((char *)in + i * extent + word[k]);
            uint32_t *b = (void *)((char *)inout + i * extent + word[k]);
            *b = k == 0 ? *a + *b : *a ^ *b;
        }
}

struct operators {
    MPI_Op composed, summed;
};

static inline struct operators operators_make(void)
{
    struct operators operators;
    MPI_Op_create(compose, 0, &operators.composed);
    MPI_Op_create(sum_and_xor, 1, &operators.summed);
    return operators;
}

static inline void operators_free(struct operators *operators)
{
    MPI_Op_free(&operators->composed);
    MPI_Op_free(&operators->summed);
}

#endif
