/* verify_report.c - see verify_report.h. */
#include "command/verbs/verify_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "command/options/options.h"
#include "command/output/json_rows.h"
#include "command/verbs/verify_thorough.h"

int64_t rb_verify_plan_count(const struct rb_verification *verification)
{
    int64_t plans = 0;
    for (int32_t a = 0; a < verification->job.algorithm_count; a++)
        plans += verification->sum.tallies[a].plans;
    return plans;
}

struct rb_verify_cover rb_verify_cover(const struct rb_verification *verification)
{
    struct rb_verify_cover cover = {0};
    for (int32_t a = 0; a < verification->job.algorithm_count; a++)
        rb_verify_cover_add(&cover, &verification->sum.tallies[a].cover);
    return cover;
}

static int by_p(const void *left, const void *right)
{
    const struct rb_verify_failure *a = left, *b = right;
    return (a->p > b->p) - (a->p < b->p);
}

void rb_verify_complain(struct rb_verification *verification)
{
    struct rb_verify_record *sum = &verification->sum;
    int64_t kept = sum->failed < RB_KEPT_FAILURES ? sum->failed : RB_KEPT_FAILURES;
    qsort(sum->failures, (size_t)kept, sizeof sum->failures[0], by_p);
    for (int64_t i = 0; i < kept; i++) {
        rb_complain(RB_EXIT_FALSE, "wrong: %s", sum->failures[i].what);
        rb_complain(RB_EXIT_FALSE, "repeat it: %s", sum->failures[i].repeat);
    }
    if (sum->failed > kept)
        rb_complain(RB_EXIT_FALSE, "and %" PRId64 " more", sum->failed - kept);
}

/* What had no plans: an algorithm for 2^d ranks, say, of which a range of p has few. */
static void print_left_out(const struct rb_verification *verification, FILE *stream)
{
    const struct rb_verify_job *job = &verification->job;
    for (int32_t a = 0; a < job->algorithm_count; a++) {
        const struct rb_algorithm_info *info = job->algorithms[a];
        const int64_t unfit = verification->sum.tallies[a].unfit;
        if (unfit > 0)
            fprintf(stream, "left out: %" PRId64 " of %s that %s %s does not have%s%s\n", unfit,
                    info->radix != NULL && (job->all_radices || job->radices.count > 0)
                        ? "p and radix"
                    : job->instances.count > 0 ? "p and instance"
                                               : "p",
                    info->collective, info->name, info->ranks == NULL ? "" : ": ",
                    info->ranks == NULL ? "" : info->ranks);
    }
}

/* How many algorithms have plans in rank order. */
static int32_t ordered_algorithms(const struct rb_verification *verification)
{
    int32_t ordered = 0;
    for (int32_t a = 0; a < verification->job.algorithm_count; a++)
        ordered += verification->sum.tallies[a].cover.ordered > 0;
    return ordered;
}

/* What the level thorough looked at. What it did not have is left out. */
static void print_cover(const struct rb_verification *verification, FILE *stream)
{
    const struct rb_verify_cover cover = rb_verify_cover(verification);
    const struct rb_verify_record *sum = &verification->sum;
    int32_t ranks, gapless;
    rb_verify_cells_ranks(&verification->job.cells, &ranks, &gapless);
    fprintf(stream, "covered by the level thorough, seed %" PRIu64 ":\n", verification->job.seed);
    fprintf(stream, "  p           %" PRId32 " values up to %" PRId64, ranks, cover.most_p);
    if (gapless > 0)
        fprintf(stream, ", all of 1..%" PRId32, gapless);
    fprintf(stream, "\n  n           up to %" PRId64 "\n", cover.most_n);
    if (cover.too_large > 0)
        fprintf(stream, "  left out    %" PRId64 " plans too large for this level\n",
                cover.too_large);
    const struct {
        const char *what;
        int64_t count;
        const char *of;
    } kinds[] = {
        {"rank order", cover.ordered, ""},
        {"roots", cover.off_roots, " with a root that is none of 0, p / 2, p - 1"},
        {"counts", cover.irregular, " with irregular counts, some of them empty"},
        {"ports", cover.on_ports, " on 2"},
        {"radices", cover.by_radix, " of radix 2"},
        {"instances", cover.instances, " of other instances than the usual"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].count == 0)
            continue;
        fprintf(stream, "  %-11s %" PRId64 " plans%s", kinds[i].what, kinds[i].count, kinds[i].of);
        if (i == 0)
            fprintf(stream, " of %" PRId32 " algorithms", ordered_algorithms(verification));
        if (i == 3)
            fprintf(stream, "..%" PRId64, cover.most_ports);
        if (i == 4)
            fprintf(stream, "..%" PRId64, cover.most_radix);
        fprintf(stream, "\n");
    }
    if (sum->p_count > 0)
        fprintf(stream,
                "  schedules   %" PRId64 " ranks' own circulant schedules, of %" PRId64
                " values of p up to %" PRId64 "\n",
                sum->rank_count, sum->p_count, sum->most_p);
}

static void print_plans_table(const struct rb_verification *verification, FILE *stream)
{
    const bool several = verification->job.several;
    fprintf(stream, "%-*s%-23s %9s %9s %9s %9s %13s %13s %13s\n", several ? 16 : 0,
            several ? "collective" : "", "algorithm", "plans", "wrong", "least C1", "least C2",
            "extra rounds", "extra moves", "extra C2");
    for (int32_t a = 0; a < verification->job.algorithm_count; a++) {
        const struct rb_verify_tally *tally = &verification->sum.tallies[a];
        const struct rb_algorithm_info *info = verification->job.algorithms[a];
        fprintf(stream,
                "%-*s%-23s %9" PRId64 " %9" PRId64 " %9" PRId64 " %9" PRId64 " %13" PRId64
                " %13" PRId64 " %13" PRId64 "\n",
                several ? 16 : 0, several ? info->collective : "", info->name, tally->plans,
                tally->wrong, tally->at_bound, tally->in_sequence_at_bound,
                tally->most_extra_rounds, tally->most_extra_moves, tally->most_extra_in_sequence);
    }
    fprintf(stream,
            "C1: rounds; C2: blocks of the longest message of each round, added up; least: no more "
            "than the\nlower bound, of C2 for as many rounds; extra: the most above it\n");
    print_left_out(verification, stream);
    if (verification->job.thorough)
        print_cover(verification, stream);
    fprintf(stream, "%" PRId64 "%s%s plans: %s; %.1f s\n", rb_verify_plan_count(verification),
            several ? "" : " ", several ? "" : verification->job.collectives,
            verification->sum.failed == 0 ? "all right" : "WRONG", verification->wall_s);
}

static void print_schedules_table(const struct rb_verification *verification, FILE *stream)
{
    const struct rb_verify_record *sum = &verification->sum;
    const bool sample = verification->job.sample > 0;
    fprintf(stream, "%" PRId64 " values of p, %" PRId64 " ranks: %s; %.1f s\n", sum->p_count,
            sum->rank_count,
            sum->failed > 0 ? "WRONG"
            : sample        ? "all four conditions hold for these"
                            : "all four conditions hold",
            verification->wall_s);
    if (sample)
        fprintf(stream,
                "a sample: of each p the ranks 0, 1, p - 1 and %" PRId32 " pseudo-random ones\n",
                verification->job.sample);
    if (verification->recorded > 0)
        fprintf(stream, "of these, %" PRId64 " values of p were checked earlier: %s\n",
                verification->recorded, verification->recorded_in);
}

static json_t *json_of_tallies(const struct rb_verification *verification)
{
    json_t *all = json_array();
    for (int32_t a = 0; a < verification->job.algorithm_count; a++) {
        const struct rb_verify_tally *tally = &verification->sum.tallies[a];
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "collective",
                           verification->job.algorithms[a]->collective, "algorithm",
                           verification->job.algorithms[a]->name, "plans", (json_int_t)tally->plans,
                           "wrong", (json_int_t)tally->wrong, "left_out", (json_int_t)tally->unfit,
                           "optimal", (json_int_t)tally->at_bound, "extra_rounds",
                           (json_int_t)tally->most_extra_rounds, "extra_moves",
                           (json_int_t)tally->most_extra_moves, "optimal_c2",
                           (json_int_t)tally->in_sequence_at_bound, "extra_c2",
                           (json_int_t)tally->most_extra_in_sequence));
    }
    return all;
}

static json_t *json_of_cover(const struct rb_verification *verification)
{
    const struct rb_verify_cover cover = rb_verify_cover(verification);
    const struct rb_verify_record *sum = &verification->sum;
    int32_t ranks, gapless;
    rb_verify_cells_ranks(&verification->job.cells, &ranks, &gapless);
    return json_pack("{s:s, s:I, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
                     "s:I, s:I, s:I}",
                     "level", "thorough", "seed", (json_int_t)verification->job.seed, "p_count",
                     (int)ranks, "p_all_up_to", (int)gapless, "p_most", (json_int_t)cover.most_p,
                     "n_most", (json_int_t)cover.most_n, "too_large", (json_int_t)cover.too_large,
                     "ordered", (json_int_t)cover.ordered, "ordered_algorithms",
                     (json_int_t)ordered_algorithms(verification), "other_roots",
                     (json_int_t)cover.off_roots, "irregular_counts", (json_int_t)cover.irregular,
                     "several_ports", (json_int_t)cover.on_ports, "ports_most",
                     (json_int_t)cover.most_ports, "given_radix", (json_int_t)cover.by_radix,
                     "radix_most", (json_int_t)cover.most_radix, "other_instances",
                     (json_int_t)cover.instances, "schedules_p_count", (json_int_t)sum->p_count,
                     "schedules_ranks", (json_int_t)sum->rank_count);
}

static json_t *json_of_case(const struct rb_claim_case *one, bool any)
{
    if (!any)
        return json_null();
    return json_pack("{s:i, s:i, s:i, s:i}", "p", one->p, "r", one->r, "value", one->value, "bound",
                     one->bound);
}

static json_t *json_of_claims(const struct rb_claim_tally tallies[])
{
    json_t *all = json_array();
    for (int32_t c = 0; c < RB_CLAIMS; c++) {
        const struct rb_claim *claim = &rb_claims[c];
        const struct rb_claim_tally *tally = &tallies[c];
        json_array_append_new(
            all,
            json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:o}", "name", claim->name, "claim",
                      claim->text, "source", claim->source, "checked", (json_int_t)tally->checked,
                      "exceptions", (json_int_t)tally->exceptions, "first_exception",
                      json_of_case(&tally->first_exception, tally->exceptions > 0), "tightest",
                      json_of_case(&tally->tightest, tally->checked > 0)));
    }
    return all;
}

int rb_verify_print_json(const struct rb_verification *verification, FILE *stream)
{
    const struct rb_verify_record *sum = &verification->sum;
    json_t *all;
    if (verification->job.what == RB_VERIFY_PLANS)
        all = json_pack("{s:s, s:I, s:I, s:o}", "collective", verification->job.collectives,
                        "plans", (json_int_t)rb_verify_plan_count(verification), "wrong",
                        (json_int_t)sum->failed, "algorithms", json_of_tallies(verification));
    else
        all = json_pack("{s:I, s:I}", "p_count", (json_int_t)sum->p_count, "ranks",
                        (json_int_t)sum->rank_count);
    if (verification->job.thorough)
        json_object_set_new(all, "covered", json_of_cover(verification));
    if (verification->job.what == RB_VERIFY_SCHEDULES)
        json_object_set_new(all, "wrong", json_integer(sum->failed));
    if (verification->job.what == RB_VERIFY_CLAIMS)
        json_object_set_new(all, "claims", json_of_claims(sum->claims));
    json_object_set_new(all, "wall_s", json_real(verification->wall_s));
    json_object_set_new(all, "version", json_string(rb_program_version));
    if (verification->job.what != RB_VERIFY_PLANS)
        json_object_set_new(all, "sample",
                            verification->job.sample > 0 ? json_integer(verification->job.sample)
                                                         : json_null());
    if (verification->job.what == RB_VERIFY_SCHEDULES)
        json_object_set_new(all, "recorded_p_count", json_integer(verification->recorded));
    return rb_json_print(stream, all, 0);
}

/* "25 > 24 at p = 257, r = 2", or a dash. */
static const char *case_text(const struct rb_claim_case *one, bool any, char *text, size_t size)
{
    snprintf(text, size, "-");
    if (any)
        snprintf(text, size, "%" PRId32 " %s %" PRId32 " at p = %" PRId32 ", r = %" PRId32,
                 one->value, one->value > one->bound ? ">" : "<=", one->bound, one->p, one->r);
    return text;
}

static void print_claims_table(const struct rb_verification *verification, FILE *stream)
{
    fprintf(stream, "%-44s %-9s %13s %11s  %-30s %s\n", "claim", "source", "ranks", "exceptions",
            "first exception", "nearest to the bound, or most above");
    for (int32_t c = 0; c < RB_CLAIMS; c++) {
        const struct rb_claim_tally *tally = &verification->sum.claims[c];
        char first[64], tightest[64];
        fprintf(stream, "%-44s %-9s %13" PRId64 " %11" PRId64 "  %-30s %s\n", rb_claims[c].text,
                rb_claims[c].source, tally->checked, tally->exceptions,
                case_text(&tally->first_exception, tally->exceptions > 0, first, sizeof first),
                case_text(&tally->tightest, tally->checked > 0, tightest, sizeof tightest));
    }
    for (int32_t c = 0; c < RB_CLAIMS; c++)
        if (rb_claims[c].known_false && verification->sum.claims[c].exceptions > 0)
            fprintf(stream, "%s is known to fail; the iterations are O(log p) all the same\n",
                    rb_claims[c].source);
    if (verification->job.sample > 0)
        fprintf(stream,
                "a sample: of each p the ranks 0, 1, p - 1 and %" PRId32 " pseudo-random ones\n",
                verification->job.sample);
    fprintf(stream, "%" PRId64 " values of p, %" PRId64 " ranks: %s; %.1f s\n",
            verification->sum.p_count, verification->sum.rank_count,
            rb_claims_news(verification->sum.claims) ? "A CLAIM FAILS that was believed true"
                                                     : "as expected",
            verification->wall_s);
}

void rb_verify_print_table(const struct rb_verification *verification, FILE *stream)
{
    static void (*const print[])(const struct rb_verification *, FILE *) = {
        [RB_VERIFY_PLANS] = print_plans_table,
        [RB_VERIFY_SCHEDULES] = print_schedules_table,
        [RB_VERIFY_CLAIMS] = print_claims_table,
    };
    print[verification->job.what](verification, stream);
}
