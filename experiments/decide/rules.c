/* rules.c - see tune.h.
 *
 * In a decision file a case is a collective, whether counts differ, p and m; its winner the fastest
 * curve under any overlap rule, as the library may choose its window; the MPI library's own, where
 * it was run, unless another one is faster by a margin. Cases of one p make rules of m, which end
 * halfway to the next m that was run, by ratio; so do the ranges of p. A pipelined winner's n is n
 * = sqrt(m/4 q)/F with the F that gives its best n; neighbours in m share an F as long as that
 * costs each of them no more than the tolerance.
 */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/decide/decide.h"
#include "experiments/decide/tune.h"
#include "mpi/vendors/rules/rules.h"
#include "roundabout.h"
#include "sim/engine/engine.h"
#include "support/memory.h"
#include "support/options/options.h"

/* As mpi/choice/decisions.h has it. */
#define HEADER "roundabout-decisions 1"
/* The MPI library's own algorithm. */
#define NATIVE "native"

struct rule {
    const struct decide_curve *const *won; /* the winners it is for, by rising m */
    size_t count;
    double factor;       /* F; 0: n is 1, or fixed if q or m is 0 */
    int64_t least, most; /* bytes; INT64_MAX: no end */
};

struct writer {
    const struct decide_curves *data;
    double tolerance, margin;
    bool everywhere;
    FILE *stream;
};

static const struct point *setting_of(const struct writer *writer, const struct decide_curve *curve)
{
    return &writer->data->settings[curve->setting];
}

static bool is_irregular(const struct point *setting)
{
    return strcmp(setting->counts, "regular") != 0;
}

/* ---- Comparable rows ------------------------------------------------------------------------- */

/* What is checked, and for which --format. */
struct comparison {
    const char *format;
    bool any_ppn; /* its rules tell ranks per host apart */
};

static int two_of_a_kind(const struct comparison *by, const char *what, const char *a,
                         const char *b, const char *cure, struct sup_error *error)
{
    return sup_fail(error, RB_EINVAL, "--format %s: the rows are of two kinds, %s %s and %s: %s",
                    by->format, what, a, b, cure);
}

static int two_numbers(const struct comparison *by, const char *what, int64_t a, int64_t b,
                       const char *cure, struct sup_error *error)
{
    char first[24], second[24];
    snprintf(first, sizeof first, "%" PRId64, a);
    snprintf(second, sizeof second, "%" PRId64, b);
    return two_of_a_kind(by, what, first, second, cure, error);
}

static int check_pair(const struct comparison *by, const struct point *a, const struct point *b,
                      struct sup_error *error)
{
    static const struct {
        enum point_id id;
        const char *what, *cure;
    } texts[] = {
        {POINT_PLATFORM, "platform", "choose by --platform"},
        {POINT_PLATFORM_HASH, "platforms with hash", "they are no longer the same; sweep again"},
        {POINT_PLACEMENT, "placement", "choose by --placement"},
        {POINT_ENGINE, "engine", "choose by --engine"},
        {POINT_ENGINE_OPTIONS, "engine options", "sweep with one of them"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct point_parameter *parameter = &point_parameters[texts[i].id];
        if (point_compare(a, b, parameter) != 0)
            return two_of_a_kind(by, texts[i].what, point_text(a, parameter),
                                 point_text(b, parameter), texts[i].cure, error);
    }
    if (!by->any_ppn && a->ppn != b->ppn)
        return two_numbers(by, "ranks per host", a->ppn, b->ppn, "choose by --ppn", error);
    if (a->plan.collective == b->plan.collective && a->plan.root != b->plan.root)
        return two_numbers(by, "root", a->plan.root, b->plan.root, "sweep with one of them", error);
    if (a->plan.collective == b->plan.collective && is_irregular(a) && is_irregular(b) &&
        a->counts != b->counts)
        return two_of_a_kind(by, "counts", a->counts, b->counts, "choose by --counts", error);
    return RB_OK;
}

/* RB_EINVAL unless all rows are of one machine and way to run, so that they make one file of this
 * --format; with any_ppn their numbers of ranks per host may differ. */
static int check_settings(const struct decide_curves *data, const char *format, bool any_ppn,
                          struct sup_error *error)
{
    const struct comparison by = {format, any_ppn};
    for (size_t i = 0; i < data->setting_count; i++) {
        const struct point *setting = &data->settings[i];
        if (setting->plan.ports != 1)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: %" PRId32 " ports: the MPI library uses one", format,
                            setting->plan.ports);
        for (size_t k = 0; k < i; k++) {
            const int status = check_pair(&by, &data->settings[k], setting, error);
            if (status != RB_OK)
                return status;
        }
    }
    return RB_OK;
}

/* ---- Winners --------------------------------------------------------------------------------- */

/* The C library's sort has no context. */
struct entrant {
    const struct decide_curve *curve;
    const struct point *setting;
};

static int compare_cases(const struct entrant *a, const struct entrant *b)
{
    return SUP_FIRST(strcmp(a->setting->plan.collective, b->setting->plan.collective),
                     is_irregular(a->setting) - is_irregular(b->setting),
                     SUP_ORDER(a->curve->p, b->curve->p),
                     SUP_ORDER(a->curve->m_bytes, b->curve->m_bytes));
}

SUP_COMPARE(compare_entrants, struct entrant, compare_cases(a, b),
            SUP_ORDER(a->curve->best->time_s, b->curve->best->time_s),
            strcmp(a->curve->algorithm, b->curve->algorithm),
            strcmp(a->setting->overlap, b->setting->overlap));

/* A rule of the library has no more blocks or rounds in flight (mpi/choice/choice.h). */
enum { MOST_BLOCKS = 1 << 20, MOST_WINDOW = 1024 };

/* True if ranks share the hosts of the machine, and these are the groups, as the library finds
 * them. */
static bool is_by_hosts(const struct point *setting, const struct decide_curve *curve)
{
    char hosts[24];
    snprintf(hosts, sizeof hosts, "%" PRId32, setting->ppn);
    return setting->ppn > 1 && strcmp(curve->groups, hosts) == 0;
}

/* True if a rule can express this setting and the library has its algorithm. Plans by groups are
 * those of the hosts. */
static bool is_of_the_library(const struct point *setting, const struct decide_curve *curve)
{
    const struct rb_collective_info *collective = setting->collective;
    const struct rb_algorithm_info *info = curve->info;
    struct sim_overlap overlap;
    /* Collectives with fixed counts are not the core's, and the library has the core alone. */
    if (collective == NULL || collective->fixed_counts ||
        (is_irregular(setting) && !collective->distributed))
        return false;
    if (strcmp(curve->algorithm, NATIVE) == 0)
        return true;
    return info != NULL && (!info->groups || is_by_hosts(setting, curve)) &&
           (curve->radix == 0 ||
            (info->radix != NULL && curve->radix >= 2 && curve->radix <= RB_MAX_RANKS)) &&
           curve->best->n <= MOST_BLOCKS &&
           sim_overlap_parse(setting->overlap, &overlap, NULL) == RB_OK;
}

/* The winner among a case's entrants, which are sorted by time: the first, unless the MPI library's
 * own exceeds it by no more than the margin. */
static const struct decide_curve *winner_of(const struct writer *writer,
                                            const struct entrant entrants[], size_t count)
{
    const double best_s = entrants[0].curve->best->time_s;
    for (size_t i = 0; i < count; i++) {
        const struct decide_curve *curve = entrants[i].curve;
        if (strcmp(curve->algorithm, NATIVE) == 0)
            return best_s < curve->best->time_s * (1 - writer->margin) ? entrants[0].curve : curve;
    }
    return entrants[0].curve;
}

/* won[] has room for all curves. Returns the number of winners. */
static size_t find_winners(const struct writer *writer, struct entrant entrants[],
                           const struct decide_curve *won[])
{
    size_t count = 0, winners = 0;
    for (size_t i = 0; i < writer->data->curve_count; i++) {
        const struct decide_curve *curve = &writer->data->curves[i];
        const struct entrant entrant = {curve, setting_of(writer, curve)};
        if (is_of_the_library(entrant.setting, curve))
            entrants[count++] = entrant;
    }
    qsort(entrants, count, sizeof *entrants, compare_entrants);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && compare_cases(&entrants[i], &entrants[next]) == 0;)
            next++;
        won[winners++] = winner_of(writer, entrants + i, next - i);
    }
    return winners;
}

static bool same_algorithm(const struct writer *writer, const struct decide_curve *a,
                           const struct decide_curve *b)
{
    return a->algorithm == b->algorithm &&
           setting_of(writer, a)->overlap == setting_of(writer, b)->overlap;
}

/* ---- n as a formula -------------------------------------------------------------------------- */

static bool is_pipelined(const struct decide_curve *curve)
{
    return curve->info != NULL && curve->info->pipelined;
}

/* sqrt(m/4 q) */
static double root_of(const struct decide_curve *curve)
{
    return sqrt((double)curve->m_bytes / 4 * rb_ceil_log2(curve->p));
}

/* One F for these winners: the geometric mean of theirs; 0 if one block is best for all. */
static double common_factor(const struct decide_curve *const won[], size_t count)
{
    double logs = 0;
    size_t more = 0;
    for (size_t i = 0; i < count; i++)
        if (won[i]->best->n > 1 && root_of(won[i]) > 0) {
            logs += log(root_of(won[i]) / (double)won[i]->best->n);
            more++;
        }
    return more == 0 ? 0 : exp(logs / (double)more);
}

/* True if this F costs none of the points more than the tolerance. */
static bool factor_serves(const struct writer *writer, const struct decide_curve *const won[],
                          size_t count, double factor)
{
    for (size_t i = 0; i < count; i++) {
        const double n = fmax(1, round(root_of(won[i]) / factor));
        double time_s;
        if (n == (double)won[i]->best->n)
            continue;
        if (!decide_curve_time(won[i], n, &time_s) ||
            time_s > won[i]->best->time_s * (1 + writer->tolerance))
            return false;
    }
    return true;
}

/* The rule for as many of the winners as go together, at least one. */
static struct rule next_rule(const struct writer *writer, const struct decide_curve *const won[],
                             size_t count)
{
    struct rule rule = {.won = won, .count = 1, .factor = common_factor(won, 1)};
    while (rule.count < count && same_algorithm(writer, won[0], won[rule.count])) {
        const double factor = common_factor(won, rule.count + 1);
        if (is_pipelined(won[0]) && factor > 0 &&
            !factor_serves(writer, won, rule.count + 1, factor))
            break;
        rule.factor = factor;
        rule.count++;
    }
    return rule;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The end of a rule, with times up to `last`, before one with times from `next` on; 0: the last. */
static int64_t end_of(const struct writer *writer, int64_t last, int64_t next)
{
    return next > 0             ? rules_halfway(last, next)
           : writer->everywhere ? INT64_MAX
                                : rules_last(last, INT64_MAX);
}

static const char *span_text(int64_t least, int64_t first, int64_t most, char text[48])
{
    if (least <= first && most == INT64_MAX)
        snprintf(text, 48, "*");
    else if (least <= first)
        snprintf(text, 48, "..%" PRId64, most);
    else if (most == INT64_MAX)
        snprintf(text, 48, "%" PRId64 "..", least);
    else
        snprintf(text, 48, "%" PRId64 "..%" PRId64, least, most);
    return text;
}

/* "circulant:n=F:70,window=4" */
static const char *setting_text(const struct writer *writer, const struct rule *rule,
                                char text[120])
{
    const struct decide_curve *curve = rule->won[0];
    const char *overlap = setting_of(writer, curve)->overlap;
    const bool native = strcmp(curve->algorithm, NATIVE) == 0;
    struct sim_overlap rule_of = {.rule = SIM_DATA};
    sim_overlap_parse(overlap, &rule_of, NULL);
    /* Without groups: the library finds them itself. */
    const struct rb_plan_spec named = {.algorithm = curve->plan_algorithm, .radix = curve->radix};
    const char *separator = curve->radix > 0 ? "," : ":";
    point_curve_name(&named, text, 120);
    if (!native && is_pipelined(curve)) {
        if (rule->factor > 0)
            sup_append(text, 120, separator, "n=F:%.4g", rule->factor);
        else
            sup_append(text, 120, separator, "n=%" PRId64, curve->best->n);
        separator = ",";
    }
    if (!native && rule_of.rule == SIM_BLOCKING)
        sup_append(text, 120, separator, "window=1");
    else if (!native && rule_of.rule == SIM_WINDOW)
        sup_append(text, 120, separator, "window=%" PRId32,
                   rule_of.window < MOST_WINDOW ? rule_of.window : MOST_WINDOW);
    return text;
}

/* The rules of one collective and p, for ranks least_p .. most_p. */
static void write_p(const struct writer *writer, const struct decide_curve *const won[],
                    size_t count, int64_t least_p, int64_t most_p)
{
    const struct point *setting = setting_of(writer, won[0]);
    char collective[64], ranks[48], bytes[48], text[120];
    int64_t least = writer->everywhere ? 0 : rules_first(won[0]->m_bytes);
    snprintf(collective, sizeof collective, "%s%s", setting->plan.collective,
             is_irregular(setting) ? "/irregular" : "");
    for (size_t i = 0; i < count;) {
        const struct rule rule = next_rule(writer, won + i, count - i);
        i += rule.count;
        const int64_t most = end_of(writer, won[i - 1]->m_bytes, i < count ? won[i]->m_bytes : 0);
        fprintf(writer->stream, "%-14s  %-10s  %-20s  %s\n", collective,
                span_text(least_p, 1, most_p, ranks), span_text(least, 0, most, bytes),
                setting_text(writer, &rule, text));
        least = most == INT64_MAX ? most : most + 1;
    }
}

/* How many winners from the first on are of its collective (and p, if so asked). */
static size_t count_alike(const struct writer *writer, const struct decide_curve *const won[],
                          size_t count, bool and_p)
{
    const struct point *first = setting_of(writer, won[0]);
    size_t alike = 1;
    while (alike < count &&
           setting_of(writer, won[alike])->plan.collective == first->plan.collective &&
           is_irregular(setting_of(writer, won[alike])) == is_irregular(first) &&
           (!and_p || won[alike]->p == won[0]->p))
        alike++;
    return alike;
}

static void write_collective(const struct writer *writer, const struct decide_curve *const won[],
                             size_t count)
{
    int64_t least_p = writer->everywhere ? 1 : rules_first(won[0]->p);
    fputc('\n', writer->stream);
    for (size_t i = 0; i < count;) {
        const size_t alike = count_alike(writer, won + i, count - i, true);
        const size_t next = i + alike;
        const int64_t most_p = end_of(writer, won[i]->p, next < count ? won[next]->p : 0);
        write_p(writer, won + i, alike, least_p, most_p);
        least_p = most_p == INT64_MAX ? most_p : most_p + 1;
        i = next;
    }
}

/* The first other algorithm of the winner's case that may be as fast; NULL: there is none. */
static const struct decide_curve *tie_of(const struct writer *writer,
                                         const struct decide_curve *winner)
{
    const struct entrant won = {winner, setting_of(writer, winner)};
    for (size_t i = 0; i < writer->data->curve_count; i++) {
        const struct decide_curve *curve = &writer->data->curves[i];
        const struct entrant entrant = {curve, setting_of(writer, curve)};
        if (curve->algorithm != winner->algorithm && compare_cases(&entrant, &won) == 0 &&
            is_of_the_library(entrant.setting, curve) && decide_is_tie(curve, winner))
            return curve;
    }
    return NULL;
}

static void write_ties(const struct writer *writer, const struct decide_curve *const won[],
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct decide_curve *rival = tie_of(writer, won[i]);
        char bytes[32];
        if (rival != NULL)
            fprintf(writer->stream,
                    "# Tie: %s, p = %" PRId32 ", m = %s: %s and %s, whose copies' times overlap; "
                    "the rule is the one with the lower median.\n",
                    setting_of(writer, won[i])->plan.collective, won[i]->p,
                    sup_format_bytes(won[i]->m_bytes, bytes, sizeof bytes), won[i]->algorithm,
                    rival->algorithm);
    }
}

static void write_head(const struct writer *writer, const struct decide_decisions_request *request,
                       const struct decide_curve *const won[], size_t count)
{
    const struct point *setting = &writer->data->settings[0];
    fprintf(writer->stream,
            HEADER "\n# What was fastest in %s, by roundabout %s tune --format decisions.\n"
                   "# Its points were made by roundabout %s.\n"
                   "# engine: %s%s%s\n# platform: %s (%s), ranks per host %" PRId32
                   ", placement %s\n"
                   "# Rules meet halfway, by ratio, between the p and the m that were run.\n"
                   "# %s\n"
                   "# n=F:x is n = sqrt(bytes/4 ceil(log2 p))/x.\n"
                   "# One F for several m costs each of them at most %g %%.\n"
                   "# native, where it was run, unless another one is more than %g %% faster.\n",
            request->results, cli_program_version, writer->data->versions, setting->engine_text,
            setting->engine_options[0] == '\0' ? "" : " ", setting->engine_options,
            setting->platform_text, setting->platform_hash, setting->ppn, setting->placement,
            writer->everywhere
                ? "Beyond them the nearest one holds."
                : "They end at half the least and twice the largest (--everywhere: do not).",
            request->tolerance * 100, request->margin * 100);
    for (size_t i = 0; request->notes != NULL && i < request->notes->count; i++)
        fprintf(writer->stream, "# %s\n", request->notes->sentence[i]);
    if (request->simulated != NULL)
        fputs(request->simulated, writer->stream);
    write_ties(writer, won, count);
    fprintf(writer->stream, "# collective    ranks       bytes                 setting\n");
}

int decide_decisions_write(const struct decide_curves *data,
                           const struct decide_decisions_request *request, FILE *stream,
                           struct sup_error *error)
{
    const struct writer writer = {data, request->tolerance, request->margin, request->everywhere,
                                  stream};
    int status = check_settings(data, "decisions", false, error);
    if (status != RB_OK)
        return status;
    struct entrant *entrants = sup_calloc(data->curve_count + 1, sizeof *entrants);
    const struct decide_curve **won = sup_calloc(data->curve_count + 1, sizeof *won);
    const size_t count = find_winners(&writer, entrants, won);
    if (count == 0)
        status = sup_fail(error, RB_EINVAL,
                          "--format decisions: none of these algorithms is the MPI library's");
    if (status == RB_OK)
        write_head(&writer, request, won, count);
    for (size_t i = 0, alike; i < count; i += alike) {
        alike = count_alike(&writer, won + i, count - i, false);
        write_collective(&writer, won + i, alike);
    }
    free(entrants);
    free(won);
    return status;
}

/* ---- Rules of MPI libraries ------------------------------------------------------------------ */

/* Every sample of every curve is a candidate; under several overlap rules the fastest one of the
 * same n counts. */

/* Rules are for calls in which all ranks have as much. */
static bool is_regular(const struct point *setting)
{
    return setting->collective != NULL && strcmp(setting->counts, "regular") == 0;
}

static size_t find_candidates(const struct decide_curves *data, struct rules_candidate *candidate)
{
    size_t count = 0;
    for (size_t i = 0; i < data->curve_count; i++) {
        const struct decide_curve *curve = &data->curves[i];
        const struct point *setting = &data->settings[curve->setting];
        if (!is_regular(setting))
            continue;
        const int32_t per_node = decide_ranks_per_node(setting);
        for (size_t k = 0; k < curve->count; k++)
            candidate[count++] = (struct rules_candidate){.collective = setting->plan.collective,
                                                          .algorithm = curve->plan_algorithm,
                                                          .radix = curve->radix,
                                                          .p = curve->p,
                                                          .ppn = per_node,
                                                          .m_bytes = curve->m_bytes,
                                                          .n = curve->samples[k].n,
                                                          .time_s = curve->samples[k].time_s};
    }
    return count;
}

/* The largest element of the settings: every segment is whole elements of each. */
static int64_t element_of(const struct decide_curves *data)
{
    int64_t element = 1;
    for (size_t i = 0; i < data->setting_count; i++) {
        const int64_t bytes = data->settings[i].element_bytes;
        element = bytes > element ? bytes : element;
    }
    return element;
}

SUP_COMPARE(by_call, struct rules_candidate, strcmp(a->collective, b->collective),
            SUP_ORDER(a->ppn, b->ppn), SUP_ORDER(a->p, b->p), SUP_ORDER(a->m_bytes, b->m_bytes));

/* The candidates, which are sorted by their calls, as ways of the library. */
static void add_candidates(const struct rules_candidate *candidate, size_t count,
                           struct decide *decision)
{
    for (size_t i = 0; i < count; i++) {
        const struct rules_candidate *at = &candidate[i];
        const struct rb_plan_spec spec = {.collective = at->collective,
                                          .algorithm = at->algorithm,
                                          .p = at->p,
                                          .ports = 1,
                                          .radix = at->radix};
        const bool own = strcmp(at->algorithm, "native") == 0;
        if (i == 0 || by_call(at - 1, at) != 0) {
            const struct decide_place place = {
                .place = "", .collective = at->collective, .ppn = at->ppn};
            const size_t number = decide_add_place(decision, &place);
            decide_add_call(decision, &(struct decide_call){.place = number,
                                                            .run = "",
                                                            .p = at->p,
                                                            .m_bytes = at->m_bytes,
                                                            .bound.time_s = NAN});
        }
        struct decide_way way = decide_untimed(at->radix, at->segment_bytes);
        if (at->n > 1 && !own)
            way.segment_bytes = decide_segment(&spec, at->m_bytes, at->n);
        way.name = way.algorithm = at->algorithm;
        way.own = own;
        way.offered = !own && !at->foreign;
        way.time_s = at->time_s;
        decide_add_way(decision, &way);
    }
}

/* Of its choices by the file, the times over those of the fastest: in place of what the first note
 * says of the rules as they were made. */
static void say_what_it_does(const struct decide *decision, const double best_s[],
                             struct rules_notes *notes)
{
    size_t fastest = 0, slower = 0, unknown = 0;
    double logs = 0;
    struct out_worst worst = {0};
    char mean[OUT_WORDS], most[OUT_WORDS], others[160] = "", without[96] = "";
    for (size_t i = 0; i < decision->call_count; i++) {
        const double ratio = decision->calls[i].taken.time_s / best_s[i];
        if (isnan(ratio)) {
            unknown++;
        } else if (ratio <= 1 + 1e-9) {
            fastest++;
        } else {
            slower++;
            logs += log(ratio);
            out_worst_add(&worst, ratio);
        }
    }
    if (slower > 0)
        snprintf(others, sizeof others, "; at %zu they take %s in the mean, at most %s", slower,
                 out_longer(exp(logs / (double)slower), mean), out_longer(worst.most, most));
    if (unknown > 0)
        snprintf(without, sizeof without, "; at %zu there is no rule, or none with a time",
                 unknown);
    snprintf(notes->line[0] + notes->claim, RULES_NOTE - notes->claim,
             "; as the library reads the file, they are the fastest at %zu of %zu%s%s", fastest,
             decision->call_count, others, without);
}

static int read_back(const struct rules_format *format, struct rules_candidate *candidate,
                     size_t count, const char *text, size_t size, struct rules_notes *notes,
                     struct sup_error *error)
{
    struct decide decision = {0};
    qsort(candidate, count, sizeof *candidate, by_call);
    add_candidates(candidate, count, &decision);
    double *best_s = sup_calloc(decision.call_count + 1, sizeof *best_s);
    for (size_t i = 0; i < decision.call_count; i++) {
        const struct decide_call *call = &decision.calls[i];
        best_s[i] = NAN;
        for (size_t k = call->first; k < call->first + call->count; k++)
            best_s[i] = fmin(best_s[i], decision.ways[k].time_s);
    }
    const int status = decide_read_back(&decision, format, text, size, error);
    if (status == RB_OK)
        say_what_it_does(&decision, best_s, notes);
    free(best_s);
    decide_free(&decision);
    return status;
}

static int write_candidates(struct rules_candidate *candidate, size_t count, int64_t element_bytes,
                            const struct decide_rules_request *request, FILE *stream,
                            struct rules_notes *notes, struct sup_error *error)
{
    const struct rules_request rules = {.format = request->format,
                                        .element_bytes = element_bytes,
                                        .tolerance = request->tolerance,
                                        .everywhere = request->everywhere};
    char *text;
    size_t size;
    FILE *file = sup_memory_open(&text, &size);
    int status = rules_make(&rules, candidate, count, &request->head, file, notes, error);
    sup_memory_close(file, &text);
    if (status == RB_OK)
        status = read_back(request->format, candidate, count, text, size, notes, error);
    if (status == RB_OK)
        fwrite(text, 1, size, stream);
    free(text);
    return status;
}

int decide_rules_write(const struct decide_curves *data, const struct decide_rules_request *request,
                       FILE *stream, struct rules_notes *notes, struct sup_error *error)
{
    notes->count = 0;
    int status = check_settings(data, request->format->name, request->format->nodes, error);
    if (status != RB_OK)
        return status;
    struct rules_candidate *candidate = sup_calloc(data->sample_count + 1, sizeof *candidate);
    const size_t count = find_candidates(data, candidate);
    status = write_candidates(candidate, count, element_of(data), request, stream, notes, error);
    free(candidate);
    return status;
}

/* ---- Measured rows --------------------------------------------------------------------------- */

/* All but the time. */
SUP_COMPARE(compare_candidates, struct rules_candidate, strcmp(a->collective, b->collective),
            strcmp(a->algorithm, b->algorithm), a->foreign - b->foreign,
            SUP_ORDER(a->radix, b->radix), SUP_ORDER(a->p, b->p), SUP_ORDER(a->ppn, b->ppn),
            SUP_ORDER(a->m_bytes, b->m_bytes), SUP_ORDER(a->n, b->n),
            SUP_ORDER(a->segment_bytes, b->segment_bytes));

/* Several times of one candidate become their geometric mean. Returns how many candidates are left.
 */
static size_t join_times(struct rules_candidate *candidate, size_t count)
{
    size_t joined = 0;
    qsort(candidate, count, sizeof *candidate, compare_candidates);
    for (size_t i = 0, next; i < count; i = next) {
        double logs = 0;
        for (next = i; next < count && compare_candidates(&candidate[i], &candidate[next]) == 0;
             next++)
            logs += log(candidate[next].time_s);
        candidate[joined] = candidate[i];
        candidate[joined++].time_s = exp(logs / (double)(next - i));
    }
    return joined;
}

static size_t find_measured(const struct rows_row *const row[], size_t count,
                            struct rules_candidate *candidate)
{
    const struct rows_row *mark = rows_mark(row, count);
    size_t made = 0;
    for (size_t i = 0; i < count; i++) {
        const struct rows_row *at = row[i];
        if (at->algorithm == NULL && !at->own_choice)
            continue;
        candidate[made++] =
            (struct rules_candidate){.collective = at->collective,
                                     .algorithm = at->own_choice ? "native" : at->algorithm,
                                     .radix = at->own_choice ? 0 : at->radix,
                                     .p = at->p,
                                     .ppn = at->ranks_per_node,
                                     .m_bytes = at->m_bytes,
                                     .n = at->n,
                                     .segment_bytes = at->n > 0 ? 0 : at->segment_bytes,
                                     .time_s = at->median_s,
                                     .foreign = !at->own_choice && mark != NULL &&
                                                !rows_is_of_library(mark->name, at->name)};
    }
    return join_times(candidate, made);
}

int decide_rules_write_measured(const struct rows_row *const row[], size_t count,
                                const struct decide_rules_request *request, FILE *stream,
                                struct rules_notes *notes, struct sup_error *error)
{
    int64_t element = 1;
    notes->count = 0;
    for (size_t i = 0; i < count; i++) {
        element = row[i]->element_bytes > element ? row[i]->element_bytes : element;
        if (row[i]->system != row[0]->system)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: the rows are of several systems, %s and %s: choose by "
                            "--system",
                            request->format->name, row[0]->system, row[i]->system);
        if (strcmp(row[i]->library, row[0]->library) != 0)
            return sup_fail(error, RB_EINVAL,
                            "--format %s: the rows are of several libraries, %s and %s: choose by "
                            "--where library=%s",
                            request->format->name, row[0]->library, row[i]->library,
                            row[0]->library);
    }
    struct rules_candidate *candidate = sup_calloc(count + 1, sizeof *candidate);
    const size_t made = find_measured(row, count, candidate);
    const int status = write_candidates(candidate, made, element, request, stream, notes, error);
    free(candidate);
    return status;
}
