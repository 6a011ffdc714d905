#include "open_shop.h"

#include <stdlib.h>

enum { MOST_PLACES = 4096 };

struct line {
    int64_t left;
    int32_t turns, round; /* how many it has had, and the round after them */
    bool busy;
    int64_t end;          /* of a sender's message; INT64_MAX: none */
    int32_t to;           /* whom it is for */
    int32_t first, fresh; /* nothing of this line: entries of the two lists below */
};

/* Of `line`, which has 2 senders entries: line[0 ..].fresh are lines that have just become free,
 * that with most left first; line[i].first is the sender among those of line[2 i] and line[2 i + 1]
 * whose message ends first, and of line[senders + s] it is s. */
struct making {
    struct rb_shop *shop;
    int64_t *size; /* -1: the message has begun */
    struct line *line;
    int32_t fresh, senders; /* senders: places, rounded up to a power of two */
    int64_t now;
};

static void set_end(struct making *making, int32_t sender, int64_t end)
{
    struct line *line = making->line;
    line[sender].end = end;
    for (int32_t i = (making->senders + sender) / 2; i > 0; i /= 2) {
        const int32_t a = line[2 * i].first, b = line[2 * i + 1].first;
        line[i].first = line[a].end <= line[b].end ? a : b;
    }
}

static void give_turn(struct making *making, int32_t line, int32_t round, int32_t peer)
{
    struct line *of = &making->line[line];
    making->shop->turn[(int64_t)line * (making->shop->places - 1) + of->turns++] =
        (struct rb_turn){round, peer};
    of->round = round + 1;
    if (making->shop->rounds <= round)
        making->shop->rounds = round + 1;
}

static void begin(struct making *making, int32_t s, int32_t r)
{
    const int32_t places = making->shop->places;
    struct line *row = &making->line[s], *column = &making->line[places + r];
    int64_t *size = &making->size[(int64_t)s * places + r];
    const int32_t round = row->round > column->round ? row->round : column->round;
    give_turn(making, s, round, r);
    give_turn(making, places + r, round, s);
    if (*size > 0) {
        row->left -= *size;
        column->left -= *size;
        row->busy = column->busy = true;
        row->to = r;
        set_end(making, s, making->now + *size);
    }
    *size = -1;
}

/* The message to begin of a free line: the one for which the line on the other side, if it is free,
 * and the message have most together; the nearest ahead of several. */
static void choose(struct making *making, int32_t line)
{
    const int32_t places = making->shop->places, place = line % places;
    const bool receives = line >= places;
    int32_t sender = -1, receiver = -1;
    int64_t most = 0;
    for (int32_t i = 1; i < places; i++) {
        const int32_t peer = (int32_t)((place + (receives ? places - i : i)) % (int64_t)places);
        const int32_t s = receives ? peer : place, r = receives ? place : peer;
        const struct line *other = &making->line[receives ? s : places + r];
        const int64_t size = making->size[(int64_t)s * places + r];
        if (!other->busy && size > 0 && other->left + size > most) {
            most = other->left + size;
            sender = s;
            receiver = r;
        }
    }
    if (most > 0)
        begin(making, sender, receiver);
}

static void add_fresh(struct making *making, int32_t added)
{
    struct line *line = making->line;
    int32_t i = making->fresh++;
    line[added].busy = false;
    for (; i > 0 && line[line[i - 1].fresh].left < line[added].left; i--)
        line[i].fresh = line[i - 1].fresh;
    line[i].fresh = added;
}

static void begin_all(struct making *making)
{
    for (int32_t i = 0; i < making->fresh; i++)
        if (!making->line[making->line[i].fresh].busy)
            choose(making, making->line[i].fresh);
    making->fresh = 0;
}

static void make(struct making *making)
{
    const int32_t places = making->shop->places, senders = making->senders;
    struct line *line = making->line;
    for (int32_t i = 2 * senders - 1; i >= 0; i--) {
        line[i].first = i < senders ? line[2 * i].first : i - senders;
        line[i].end = INT64_MAX;
    }
    for (int32_t s = 0; s < places; s++)
        for (int32_t r = 0; r < places; r++)
            if (s != r) {
                line[s].left += making->size[(int64_t)s * places + r];
                line[places + r].left += making->size[(int64_t)s * places + r];
            }
    for (int32_t i = 0; i < 2 * places; i++)
        add_fresh(making, i);
    begin_all(making);
    for (int32_t s; line[s = line[1].first].end < INT64_MAX; begin_all(making))
        for (making->now = line[s].end; line[s].end == making->now; s = line[1].first) {
            set_end(making, s, INT64_MAX);
            add_fresh(making, s);
            add_fresh(making, places + line[s].to);
        }
    for (int32_t step = 1; step < places; step++)
        for (int32_t s = 0; s < places; s++) {
            const int32_t r = (int32_t)((s + step) % (int64_t)places);
            if (making->size[(int64_t)s * places + r] == 0)
                begin(making, s, r);
        }
}

static bool are_equal(int32_t places, const int64_t size[])
{
    for (int32_t s = 0; s < places; s++)
        for (int32_t r = 0; r < places; r++)
            if (s != r && size[(int64_t)s * places + r] != size[1])
                return false;
    return true;
}

int rb_shop_make(const struct rb_plan *plan, int32_t places, int64_t size[], struct rb_shop *shop,
                 char *why, size_t why_size)
{
    *shop = (struct rb_shop){.places = places, .rounds = places - 1};
    if (plan->first == NULL || are_equal(places, size))
        return RB_OK;
    if (places > MOST_PLACES)
        return rb_why(why, why_size, RB_ENOTSUP,
                      "%s %s orders by size at most %d senders, for which it has a table, not %d",
                      plan->collective->info.name, plan->algorithm->info.name, (int)MOST_PLACES,
                      (int)places);
    const size_t senders = (size_t)1 << rb_ceil_log2(places);
    struct making making = {.shop = shop,
                            .size = size,
                            .senders = (int32_t)senders,
                            .line = calloc(2 * senders, sizeof *making.line)};
    shop->rounds = 0;
    shop->turn = calloc(2 * (size_t)places * (size_t)(places - 1), sizeof *shop->turn);
    const bool room = making.line != NULL && shop->turn != NULL;
    if (room)
        make(&making);
    free(making.line);
    return room ? RB_OK : rb_why(why, why_size, RB_ENOMEM, "out of memory");
}

struct rb_turn rb_shop_turn(const struct rb_shop *shop, int32_t place, bool receives, int64_t t)
{
    const int64_t turns = shop->places - 1, ahead = receives ? turns - t : t + 1;
    if (t >= shop->rounds)
        return (struct rb_turn){INT32_MAX, -1};
    if (shop->turn == NULL)
        return (struct rb_turn){(int32_t)t, (int32_t)((place + ahead) % shop->places)};
    const struct rb_turn *turn = shop->turn + (receives ? shop->places + place : place) * turns;
    int64_t first = 0, end = turns;
    while (first < end) {
        const int64_t middle = (first + end) / 2;
        if (turn[middle].round < t)
            first = middle + 1;
        else
            end = middle;
    }
    return first < turns ? turn[first] : (struct rb_turn){INT32_MAX, -1};
}
