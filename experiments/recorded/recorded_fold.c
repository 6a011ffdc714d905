/* recorded_fold.c - finds loops in a line of steps.
 *
 * Steps are appended one by one to a list. When its end repeats what is just before it, or the body
 * of a loop that is just before it, the two become one loop; loops are elements as steps are, so
 * that loops of loops arise. Parts of the list are compared by hashes, and only where the last
 * element occurred before. */
#include <stdlib.h>

#include "experiments/recorded/recorded.h"
#include "support/memory.h"

enum { MOST_TRIED = 32, LOOPS_TRIED = 16 };
static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);

struct element {
    struct recorded_node node;
    uint64_t hash, body; /* of a loop: its body's */
    uint64_t before;     /* hash of all elements before this one */
    int64_t same;        /* the last element of this hash before it; -1: none */
    int64_t loop;        /* the last loop before it */
};

struct fold {
    struct element *element;
    size_t count;
    uint64_t all, *power; /* hash of all; powers of the factor */
    size_t powers;
    int64_t last_loop;
    struct sup_map last; /* element of a hash */
    struct sup_map kept; /* where a part is in the program */
    struct recorded_program *program;
};

static void push(struct fold *fold, struct recorded_node node, uint64_t body)
{
    const uint64_t hash = node.length > 0 ? recorded_mix(recorded_mix(body) + (uint64_t)node.times)
                                          : recorded_mix(node.step + UINT64_C(1));
    int64_t *last = sup_map_at(&fold->last, hash, -1);
    sup_grow(&fold->element, fold->count, sizeof *fold->element);
    fold->element[fold->count] =
        (struct element){node, hash, body, fold->all, *last, fold->last_loop};
    *last = (int64_t)fold->count;
    if (node.length > 0)
        fold->last_loop = (int64_t)fold->count;
    fold->all = fold->all * factor + hash;
    fold->count++;
}

static void pop(struct fold *fold, size_t count)
{
    for (; count > 0; count--) {
        const struct element *element = &fold->element[--fold->count];
        *sup_map_at(&fold->last, element->hash, -1) = element->same;
        fold->all = element->before;
        fold->last_loop = element->loop;
    }
}

/* Of the elements first .. end - 1. */
static uint64_t hash_of(struct fold *fold, size_t first, size_t end)
{
    const uint64_t until = end == fold->count ? fold->all : fold->element[end].before;
    while (fold->powers <= end - first) {
        sup_grow(&fold->power, fold->powers, sizeof *fold->power);
        fold->power[fold->powers] = fold->powers == 0 ? 1 : fold->power[fold->powers - 1] * factor;
        fold->powers++;
    }
    return until - fold->element[first].before * fold->power[end - first];
}

/* Puts elements into the program, one behind the other, unless they are there. */
static uint32_t keep(struct fold *fold, size_t first, size_t count)
{
    struct recorded_program *program = fold->program;
    const int64_t next = (int64_t)program->nodes;
    const int64_t at =
        *sup_map_at(&fold->kept, recorded_mix(hash_of(fold, first, first + count) + count), next);
    for (size_t i = 0; i < count && at == next; i++) {
        sup_grow(&program->node, program->nodes, sizeof *program->node);
        program->node[program->nodes++] = fold->element[first + i].node;
    }
    return (uint32_t)at;
}

/* The end repeats the body of a loop before it. */
static bool extend(struct fold *fold)
{
    int64_t q = fold->last_loop;
    for (int i = 0; i < LOOPS_TRIED && q >= 0; i++, q = fold->element[q].loop) {
        const struct element loop = fold->element[q];
        const size_t width = fold->count - 1 - (size_t)q;
        if (loop.node.length != width || width == 0 ||
            hash_of(fold, (size_t)q + 1, fold->count) != loop.body)
            continue;
        struct recorded_node longer = loop.node;
        longer.times++;
        pop(fold, width + 1);
        push(fold, longer, loop.body);
        return true;
    }
    return false;
}

/* The end repeats what is before it. */
static bool pair(struct fold *fold)
{
    int64_t q = fold->element[fold->count - 1].same;
    for (int i = 0; i < MOST_TRIED && q >= 0; i++, q = fold->element[q].same) {
        const size_t width = fold->count - 1 - (size_t)q, first = fold->count - width;
        if (first < width)
            return false;
        const uint64_t body = hash_of(fold, first, fold->count);
        if (hash_of(fold, first - width, first) != body)
            continue;
        const struct recorded_node loop = {
            .first = keep(fold, first, width), .length = (uint32_t)width, .times = 2};
        pop(fold, 2 * width);
        push(fold, loop, body);
        return true;
    }
    return false;
}

/* The part that is used, with a body of its own for each loop. */
static uint32_t copy(const struct recorded_program *from, uint32_t first, uint32_t length,
                     struct recorded_program *to)
{
    const uint32_t at = (uint32_t)to->nodes;
    for (uint32_t i = 0; i < length; i++) {
        sup_grow(&to->node, to->nodes, sizeof *to->node);
        to->node[to->nodes++] = from->node[first + i];
    }
    for (uint32_t i = 0; i < length; i++) {
        const struct recorded_node node = to->node[at + i];
        if (node.length > 0) {
            const uint32_t body = copy(from, node.first, node.length, to);
            to->node[at + i].first = body;
        }
    }
    return at;
}

void recorded_fold(const uint32_t line[], size_t lines, struct recorded_program *program)
{
    struct fold fold = {.last_loop = -1, .program = program};
    *program = (struct recorded_program){0};
    for (size_t i = 0; i < lines; i++) {
        push(&fold, (struct recorded_node){.step = line[i], .root = -1}, 0);
        while (extend(&fold) || pair(&fold))
            continue;
    }
    struct recorded_program all = {0};
    program->length = (uint32_t)fold.count;
    program->first = keep(&fold, 0, fold.count);
    all.length = program->length;
    all.first = copy(program, program->first, program->length, &all);
    free(program->node);
    *program = all;
    free(fold.element);
    free(fold.power);
    free(fold.last.of);
    free(fold.kept.of);
}
