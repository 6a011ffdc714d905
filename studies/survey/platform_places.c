#include "studies/survey/survey.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/platform.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "sim/engine/host_file.h"
#include "support/memory.h"
#include "support/output/files.h"
#include "support/output/table.h"

/* ---- Finding --------------------------------------------------------------------------------- */

/* The number of ranks, which a file gives if the caller does not. */
static int count_ranks(const struct sim_placement *placement, int32_t *ranks,
                       struct sup_error *error)
{
    struct sim_host_file file;
    if (*ranks > 0)
        return RB_OK;
    if (placement->rule != SIM_FILE)
        return sup_fail(error, RB_EINVAL,
                        "--ranks: missing: only a placement file says how many ranks there are");
    const int status = sim_host_file_read(placement->file, &file, error);
    *ranks = status == RB_OK ? file.ranks : 0;
    sim_host_file_free(&file);
    return status;
}

static int parts_of(const struct platform_cuts *cuts, int32_t cut)
{
    return (cuts->who.terminals - 1) / cuts->cut[cut].terminals + 1;
}

/* Adds the parts of a cut that have ranks. ranks_on: by terminal. */
static void add_parts(struct survey_places *places, int32_t cut, const int32_t ranks_on[])
{
    const struct platform_cuts *cuts = &places->cuts;
    const int32_t terminals = cuts->cut[cut].terminals, inner = cuts->cut[1].terminals;
    for (int32_t number = 0; number < parts_of(cuts, cut); number++) {
        struct survey_part part = {.cut = cut, .number = number};
        int32_t last = -1; /* part of the first cut */
        for (int32_t i = 0; i < terminals && (int64_t)number * terminals + i < cuts->who.terminals;
             i++) {
            const int32_t terminal = number * terminals + i;
            part.hosts += ranks_on[terminal] > 0;
            part.ranks += ranks_on[terminal];
            part.switches += ranks_on[terminal] > 0 && terminal / inner != last;
            last = ranks_on[terminal] > 0 ? terminal / inner : last;
        }
        if (part.ranks > 0)
            places->part[places->parts++] = part;
    }
}

/* How many parts of a cut have hosts at all. */
static void count_nodes(struct survey_places *places, int32_t cut)
{
    const struct platform_cuts *cuts = &places->cuts;
    bool *has = sup_calloc((size_t)parts_of(cuts, cut), sizeof *has);
    for (int32_t h = 0; h < cuts->who.count; h++) {
        bool *here = &has[platform_host_terminal(&cuts->who, h) / cuts->cut[cut].terminals];
        places->nodes[cut] += !*here;
        *here = true;
    }
    free(has);
}

static void find_parts(struct survey_places *places, const int32_t ranks_on[])
{
    int64_t room = 1;
    for (int32_t i = 1; i < places->cuts.count; i++)
        room += parts_of(&places->cuts, i);
    places->part = sup_calloc((size_t)room, sizeof *places->part);
    for (int32_t i = 1; i < places->cuts.count; i++) {
        count_nodes(places, i);
        add_parts(places, i, ranks_on);
    }
}

static int place_ranks(const struct sim_placement *placement, int32_t ppn,
                       struct survey_places *places, int32_t ranks_on[], struct sup_error *error)
{
    const struct platform_hosts *who = &places->cuts.who;
    const struct sim_hosts of = {who->count, platform_host_name, who};
    int32_t *host = sup_calloc((size_t)places->ranks, sizeof *host);
    const int status = sim_placement_map(placement, places->ranks, ppn, &of, host, error);
    for (int32_t r = 0; status == RB_OK && r < places->ranks; r++) {
        const int32_t here = ++ranks_on[platform_host_terminal(who, host[r])];
        places->hosts += here == 1;
        places->most = here > places->most ? here : places->most;
    }
    free(host);
    return status;
}

int survey_places_find(const char *platform, const char *text, int32_t ranks, int32_t ppn,
                       struct survey_places *places, struct sup_error *error)
{
    struct sim_placement placement;
    struct sup_error why;
    *places = (struct survey_places){.ranks = ranks};
    int status = sim_placement_parse(text, &placement, &why);
    if (status == RB_OK && placement.search)
        status = sup_fail(&why, RB_EINVAL,
                          "a search needs a plan: simulate --write-placement "
                          "writes the order that it finds");
    if (status != RB_OK)
        return sup_fail(error, status, "--placement: %s", why.text);
    if (placement.rule == SIM_FILE)
        status = out_files_read("--placement", placement.file, error);
    if (status == RB_OK)
        status = count_ranks(&placement, &places->ranks, error);
    if (status == RB_OK)
        status = platform_find_cuts(platform, &places->cuts, error);
    if (status != RB_OK)
        return status;
    int32_t *ranks_on = sup_calloc((size_t)places->cuts.who.terminals, sizeof *ranks_on);
    /* A file says itself how many ranks a host has. */
    status = place_ranks(&placement, placement.rule == SIM_FILE ? places->ranks : ppn, places,
                         ranks_on, error);
    if (status == RB_OK)
        find_parts(places, ranks_on);
    free(ranks_on);
    return status;
}

void survey_places_free(struct survey_places *places)
{
    free(places->part);
    *places = (struct survey_places){0};
}

/* ---- Printing -------------------------------------------------------------------------------- */

enum { PART, NAME };
static const struct out_column columns[] = {
    [PART] = {"part", .kind = OUT_WORD},
    [NAME] = {"name", .heading = "part", .kind = OUT_WORD, .width = -20},
    {"hosts", .heading = "hosts", .kind = OUT_COUNT, .width = 8, OUT_OF(struct survey_part, hosts)},
    {"ranks", .heading = "ranks", .kind = OUT_COUNT, .width = 8, OUT_OF(struct survey_part, ranks)},
    {"switches", .heading = "switches", .kind = OUT_COUNT, .width = 9,
     OUT_OF(struct survey_part, switches)},
};
static const struct out_table rows_of_parts = {columns, .width = OUT_COUNT_OF(columns)};

static void add_row(struct out_rows *rows, const struct survey_places *places,
                    const struct survey_part *part)
{
    const struct platform_cut *cut = &places->cuts.cut[part->cut];
    char name[64];
    platform_part_name(&places->cuts.who, cut->name, part->number, name, sizeof name);
    union out_cell cells[OUT_COUNT_OF(columns)] = {[PART].word = cut->name, [NAME].word = name};
    out_cells(&rows_of_parts, (const void *const[]){part}, cells);
    out_rows_add(rows, cells);
}

/* One line about a cut: how many of its parts have ranks, and how many hosts these are. */
static void print_cut(FILE *stream, const struct survey_places *places, int32_t cut)
{
    int32_t count = 0, least = INT32_MAX, most = 0;
    for (int32_t i = 0; i < places->parts; i++) {
        if (places->part[i].cut != cut)
            continue;
        const int32_t hosts = places->part[i].hosts;
        count++;
        least = hosts < least ? hosts : least;
        most = hosts > most ? hosts : most;
    }
    fprintf(stream,
            "%-18s %" PRId32 " of %" PRId32 ", on each %" PRId32 " to %" PRId32
            " hosts with ranks\n",
            places->cuts.cut[cut].name, count, places->nodes[cut], least, most);
}

static json_t *head_of(const char *platform, const char *placement,
                       const struct survey_places *places)
{
    return json_pack("{s:o, s:o, s:i, s:i, s:i}", "platform", out_json_text(platform), "placement",
                     out_json_text(placement), "ranks", places->ranks, "hosts", places->hosts,
                     "most_ranks_of_host", places->most);
}

void survey_print_places(FILE *stream, enum out_format format, const char *platform,
                         const char *placement, const struct survey_places *places)
{
    struct out_rows rows;
    const int32_t last = places->cuts.count - 1; /* the coarsest cut */
    if (format == OUT_TEXT) {
        fprintf(stream,
                "platform           %s\nplacement          %s\nranks              %" PRId32
                " on %" PRId32 " hosts, at most %" PRId32 " on one\n",
                platform, placement, places->ranks, places->hosts, places->most);
        for (int32_t i = 1; i <= last; i++)
            print_cut(stream, places, i);
        if (last < 1) /* the platform has no parts */
            return;
        fputc('\n', stream);
    }
    json_t *head = format == OUT_JSON ? head_of(platform, placement, places) : NULL;
    out_rows_begin(&rows, &rows_of_parts, format, stream, head, "parts");
    for (int32_t i = 0; i < places->parts; i++)
        if (format != OUT_TEXT || places->part[i].cut == last)
            add_row(&rows, places, &places->part[i]);
    out_rows_end(&rows);
}
