/* try.c - a script that tries rules on the machine that they are for; which of them held there, and
 * better ones (recommend.h).
 *
 * It runs `roundabout measure` of the library's own collectives, with the rules and without them,
 * in jobs that alternate, so that what slows the machine down for minutes slows both down. Which
 * of the two comes first alternates, too. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/report/page.h"
#include "studies/recommend/recommend.h"
#include "support/memory.h"
#include "support/process.h"

enum {
    PAIRS = 5,       /* of jobs, if the time allows, */
    LEAST_PAIRS = 3, /* and for which it should; fewer say nothing */
    RUNS = 10,       /* of a row: the least, to warm up, and to compare results */
    MOST_BYTES = 1 << 28
};
static const double start_s = 1.5, row_s = 0.1; /* of a job, and the runs of a row */
static const double fill_s_per_byte = 5e-8;     /* of its data */
static const double node_bytes = 16e9;          /* of all data of a node's ranks, twice each */

/* True if a rule makes the choice of a call. */
static bool is_ruled(const struct decide_call *call)
{
    return strcmp(call->choice->name, DECIDE_OWN_NAME) != 0;
}

/* The end of the calls on as many ranks that have the choice of the first, one after the other. */
static size_t rule_end(const struct decide *decision, size_t first)
{
    const struct decide_call *calls = decision->calls;
    size_t end = first + 1;
    while (end < decision->call_count && calls[end].place == calls[first].place &&
           calls[end].p == calls[first].p &&
           strcmp(calls[end].choice->name, calls[first].choice->name) == 0 &&
           calls[end].choice->segment_bytes == calls[first].choice->segment_bytes)
        end++;
    return end;
}

uint64_t recommend_hash(const struct decide *decision)
{
    uint64_t hash = SUP_HASH_START;
    for (size_t i = 0; i < decision->call_count; i++) {
        const struct decide_call *call = &decision->calls[i];
        const char *names[] = {decision->places[call->place].collective, call->choice->name};
        const int64_t numbers[] = {call->p, call->m_bytes, call->choice->segment_bytes};
        for (int k = 0; k < 2; k++)
            hash = sup_hash_bytes(hash, names[k], strlen(names[k]) + 1);
        hash = sup_hash_bytes(hash, numbers, sizeof numbers);
    }
    return hash;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* True if `measure` can make the call that the rules are for: with equal counts, and of whole
 * numbers of 4 bytes if they are combined. */
static bool can_measure(const struct decide_place *place, const struct decide_call *call)
{
    const struct rb_collective_info *info = rb_collective_find(place->collective);
    const bool parted = info->distributed || strcmp(info->name, "scatter") == 0;
    const int64_t p = call->p;
    const int64_t unit = (info->reducing ? 4 : 1) * (info->personalized ? p * p : parted ? p : 1);
    return call->m_bytes % unit == 0 && call->m_bytes <= MOST_BYTES &&
           2.0 * (double)call->m_bytes * place->ppn <= node_bytes;
}

/* The calls at both ends of a rule, as far as they can be measured. Returns how many. */
static size_t find_ends(const struct decide *decision, size_t first, size_t end, size_t found[2])
{
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        if (can_measure(&decision->places[decision->calls[i].place], &decision->calls[i])) {
            found[count > 0] = i;
            count += count < 2;
        }
    return count;
}

struct script {
    const struct recommend_request *request;
    const struct decide *decision;
    struct recommend_trial *trial;
    FILE *stream;
    double pass_s; /* of one side, by estimate */
};

/* A pair of jobs for a rule, if there is time for it. */
static void write_pair(struct script *script, size_t first, size_t end)
{
    const struct decide_call *calls = script->decision->calls;
    size_t tried[2];
    const size_t count = find_ends(script->decision, first, end, tried);
    double more_s = start_s;
    for (size_t i = 0; i < count; i++)
        more_s += row_s + fill_s_per_byte * (double)calls[tried[i]].m_bytes +
                  RUNS * fmax(0, fmax(calls[first].own.time_s, calls[first].choice->time_s));
    script->trial->left_out += count;
    if (count == 0 || (script->trial->tried > 0 &&
                       2 * LEAST_PAIRS * (script->pass_s + more_s) > script->trial->time_s))
        return;
    script->pass_s += more_s;
    script->trial->left_out -= count;
    script->trial->tried += count;
    fprintf(script->stream, "    pair \"$i\" '%s %" PRId64 "' %s %" PRId32 " %" PRId64,
            calls[first].choice->name, calls[first].choice->segment_bytes,
            script->decision->places[calls[first].place].collective, calls[first].p,
            calls[tried[0]].m_bytes);
    if (count == 2)
        fprintf(script->stream, ",%" PRId64, calls[tried[1]].m_bytes);
    fputc('\n', script->stream);
}

/* Rules for many ranks first. */
static void write_pairs(struct script *script)
{
    int64_t p[RECOMMEND_VALUES];
    fprintf(script->stream, "for i in {1..%d}; do\n", PAIRS);
    for (size_t i = recommend_ranks(script->request, p); i-- > 0;)
        for (size_t first = 0, end; first < script->decision->call_count; first = end) {
            end = rule_end(script->decision, first);
            if (script->decision->calls[first].p == p[i] &&
                is_ruled(&script->decision->calls[first]))
                write_pair(script, first, end);
        }
    fputs("done\n"
          "echo \"$0: give $rows to roundabout recommend, with the words above and --tried\" >&2\n",
          script->stream);
}

/* ---- The script ------------------------------------------------------------------------------ */

/* Words that begin a command under the rules, and without them. */
static void write_variables(const char *text, FILE *stream)
{
    const size_t path = strcspn(text, "@");
    if (strcmp(text, RULES_FILE_SETS) == 0)
        fputs("with=(bash -c 'set -a; . \"$0\"; exec \"$@\"' \"$rules\")\n", stream);
    else
        fprintf(stream, "with=(env %.*s\"$rules\"%s)\n", (int)path, text, text + path + 1);
    fputs("without=(env", stream);
    for (const char *word = text; strchr(word, '=') != NULL; word += strspn(word, " ")) {
        fprintf(stream, " -u %.*s", (int)strcspn(word, "="), word);
        word += strcspn(word, " ");
    }
    fputs(")\n", stream);
}

static void write_head(const struct script *script)
{
    const struct recommend_request *request = script->request;
    const double time_s = script->trial->time_s;
    char *command = page_command("recommend", script->trial->words);
    char *rows = sup_format("%s.rows.csv", script->trial->name), *word = sup_shell_word(rows);
    fprintf(script->stream,
            "#!/usr/bin/env bash\n"
            "#SBATCH --nodes=%" PRId32 " --ntasks-per-node=%" PRId32 " --exclusive --time=%.0f\n"
            "# Tries rules for collectives on the machine that they are for: the library's own "
            "calls with them\n"
            "# and without them, in jobs that alternate. It was made by\n"
            "#   %s\n"
            "# Run it where mpirun works, or submit it to Slurm. Rows are appended to a file. You "
            "may set\n"
            "# ROUNDABOUT, the program; LAUNCH, the words that start it on all ranks, such as "
            "\"srun --mpi=pmix\";\n"
            "# ROWS, the file of rows; TRY_TIME, the seconds that all jobs may take.\n"
            "set -u\n"
            "roundabout=${ROUNDABOUT:-roundabout}\n"
            "read -ra launch <<<\"${LAUNCH:-mpirun -n %" PRId64 "}\"\n"
            "rows=%s\n"
            "rows=${ROWS:-$rows}\n"
            "limit=${TRY_TIME:-%.0f}\n"
            "rules=$(mktemp \"$PWD/rules.XXXXXX\") || exit\n"
            "trap 'rm -f \"$rules\"' EXIT\n",
            request->nodes, request->ppn, floor(time_s / 60) + 2, command,
            (int64_t)request->nodes * request->ppn, word, time_s);
    free(word);
    free(rows);
    free(command);
}

/* A job of one side, and a pair of them. */
static const char functions[] =
    "job() { # LABEL COLLECTIVE RANKS BYTES\n"
    "    local left=$((limit - SECONDS)) as=(\"${without[@]}\")\n"
    "    if [ \"$left\" -le 0 ]; then return; fi\n"
    "    if [ \"${1%% *}\" = rules ]; then as=(\"${with[@]}\"); fi\n"
    "    \"${as[@]}\" timeout -k 5 \"$left\" \"${launch[@]}\" \"$roundabout\" measure collectives "
    "--label \"$1\" \\\n"
    "        --collective \"$2\" --algorithm native -p \"$3\" -m \"$4\" --least-runs 5 --most-time "
    "0.1s \\\n"
    "        -o \"$rows\" </dev/null >/dev/null ||\n"
    "        echo \"$0: $2 on $3 ranks ($1): the job failed or its time was over\" >&2\n"
    "}\n"
    "pair() { # NUMBER CHOICE COLLECTIVE RANKS BYTES\n"
    "    local labels=(\"own $began.$1 $hash\" \"rules $began.$1 $hash $2\")\n"
    "    job \"${labels[$((1 - $1 % 2))]}\" \"${@:3}\"\n"
    "    job \"${labels[$(($1 % 2))]}\" \"${@:3}\"\n"
    "}\n"
    "began=$(date +%s)\n";

int recommend_write_try(const struct recommend_request *request,
                        const struct recommend_answer *answer, struct recommend_trial *trial,
                        FILE *stream, struct sup_error *error)
{
    struct script script = {
        .request = request, .decision = &answer->decision, .trial = trial, .stream = stream};
    write_head(&script);
    fputs("cat >\"$rules\" <<'END_OF_RULES' || exit\n", stream);
    fwrite(answer->file, 1, answer->file_size, stream);
    fprintf(stream, "%sEND_OF_RULES\n",
            answer->file_size > 0 && answer->file[answer->file_size - 1] == '\n' ? "" : "\n");
    write_variables(request->format->variables, stream);
    fputs(functions, stream);
    fprintf(stream, "hash=%016" PRIx64 "\n", recommend_hash(&answer->decision));
    write_pairs(&script);
    return trial->tried > 0
               ? RB_OK
               : sup_fail(error, RB_EINVAL,
                          "--try: the rules leave everything to the library, or to calls that "
                          "measure can't make: there is nothing to try");
}

/* ---- What was tried -------------------------------------------------------------------------- */

/* Of each pair of jobs the ratio of the medians counts, without the rules to with them. A rule is
 * slower at a size if it is in so many of three or more pairs as chance gives once in eight times
 * at most: in all of three to five, in all but one of six to eight. */

enum { NAMED = 40, LABELLED = 3 };
static const double clearly = 0.99; /* a gain below it is a loss */

/* A row that belongs to a call. */
struct sample {
    double time_s;
    size_t call;
    char pair[NAMED];
    bool ruled, paired;
};

struct judging {
    struct recommend_work *work;
    struct decide *decision;
    struct recommend_trials *trials;
    struct sample *sample; /* owned */
    size_t count;
};

/* ---- Rows ------------------------------------------------------------------------------------ */

static size_t find_call(const struct judging *judging, const struct rows_row *row)
{
    const struct decide *decision = judging->decision;
    size_t i = 0;
    while (i < decision->call_count &&
           (row->ranks_per_node != judging->work->request->ppn || decision->calls[i].p != row->p ||
            decision->calls[i].m_bytes != row->m_bytes ||
            strcmp(decision->places[decision->calls[i].place].collective, row->collective) != 0))
        i++;
    return i;
}

/* Why the row is of no use; NULL: it is a sample. */
static const char *take_row(struct judging *judging, const struct rows_row *row, uint64_t hash)
{
    struct sample *made = &judging->sample[judging->count];
    char side[NAMED];
    uint64_t of;
    *made = (struct sample){.time_s = row->median_s, .call = find_call(judging, row)};
    if (sscanf(row->notes, "%39s %39s %" SCNx64, side, made->pair, &of) != LABELLED ||
        (strcmp(side, "own") != 0 && strcmp(side, "rules") != 0))
        return "without the label of a trial";
    if (of != hash)
        return "of other rules";
    if (made->call == judging->decision->call_count)
        return "of other calls or ranks per node";
    made->ruled = strcmp(side, "rules") == 0;
    judging->count++;
    return NULL;
}

static struct sample *find_partner(struct judging *judging, const struct sample *sample)
{
    for (size_t i = 0; i < judging->count; i++) {
        struct sample *other = &judging->sample[i];
        if (other->call == sample->call && other->ruled && !other->paired &&
            strcmp(other->pair, sample->pair) == 0)
            return other;
    }
    return NULL;
}

/* ---- Calls and rules ------------------------------------------------------------------------- */

/* True if of so many coins at most `others` fall on one side with a probability of 1/8 or less. */
static bool is_most(int32_t others, int32_t coins)
{
    double term = exp2(-coins), sum = 0;
    for (int32_t k = 0; k <= others; k++) {
        sum += term;
        term *= (double)(coins - k) / (k + 1);
    }
    return sum <= 0.125;
}

static void judge_call(struct judging *judging, size_t i)
{
    const struct decide_call *call = &judging->decision->calls[i];
    struct recommend_tried tried = {.call = i,
                                    .choice = call->choice->name,
                                    .promised = call->gain,
                                    .low = INFINITY,
                                    .high = 0};
    double own = 0, ruled = 0;
    int32_t slower = 0, faster = 0;
    for (size_t k = 0; k < judging->count; k++) {
        struct sample *sample = &judging->sample[k], *partner;
        if (sample->call != i || sample->ruled || (partner = find_partner(judging, sample)) == NULL)
            continue;
        sample->paired = partner->paired = true;
        own += log(sample->time_s);
        ruled += log(partner->time_s);
        const double gain = sample->time_s / partner->time_s;
        tried.low = fmin(tried.low, gain);
        tried.high = fmax(tried.high, gain);
        slower += gain < clearly;
        faster += gain > 1;
        tried.pairs++;
    }
    if (tried.pairs == 0)
        return;
    tried.own_s = exp(own / tried.pairs);
    tried.time_s = exp(ruled / tried.pairs);
    tried.gain = tried.own_s / tried.time_s;
    tried.found = tried.pairs < LEAST_PAIRS                    ? "open"
                  : is_most(tried.pairs - slower, tried.pairs) ? "slower"
                  : is_most(tried.pairs - faster, tried.pairs) ? "faster"
                                                               : "as fast";
    judging->trials->tried[judging->trials->count++] = tried;
}

static bool is_slower(const struct recommend_tried *tried)
{
    return strcmp(tried->found, "slower") == 0;
}

/* Leaves the call two ways, with the times that were measured: the library's own, and what was
 * tried, unless it was slower. Without a trial: its own, as the nearest size was slower. */
static void take_times(struct judging *judging, const struct decide_call *call,
                       const struct recommend_tried *tried)
{
    struct decide_way *ways = judging->decision->ways, *own = NULL, *none = NULL;
    for (size_t k = call->first; k < call->first + call->count; k++) {
        struct decide_way *way = &ways[k];
        const bool kept =
            tried != NULL && !is_slower(tried) && !way->own && way->more == call->choice->more;
        own = way->own ? way : own;
        if (way->own)
            continue;
        way->time_s = kept ? fmin(tried->time_s, tried->own_s) : NAN;
        way->source = kept ? DECIDE_MEASURED : DECIDE_UNTIMED;
        none = kept ? none : way;
    }
    if (own == NULL && none != NULL) { /* whose plan is not known */
        own = none;
        *own = decide_untimed(0, 0);
        own->name = judging->work->answer->native;
        own->own = true;
    }
    if (own != NULL && tried != NULL) {
        own->time_s = tried->own_s;
        own->source = DECIDE_MEASURED;
    } else if (own != NULL && isnan(own->time_s))
        own->time_s = call->choice->time_s;
}

/* What becomes of the rule of the calls from `first` to before `end`. Each call of it follows what
 * was tried at the nearest size. */
static void judge_rule(struct judging *judging, size_t first, size_t end)
{
    const struct decide_call *calls = judging->decision->calls;
    const struct recommend_trials *trials = judging->trials;
    int32_t slower = 0, others = 0;
    for (size_t i = first; i < end; i++) {
        const struct recommend_tried *nearest = NULL;
        double least = INFINITY;
        for (size_t k = 0; k < trials->count; k++) {
            const struct recommend_tried *tried = &trials->tried[k];
            if (tried->call < first || tried->call >= end || strcmp(tried->found, "open") == 0)
                continue;
            const double far =
                fabs(log((double)calls[tried->call].m_bytes / (double)calls[i].m_bytes));
            nearest = far < least ? tried : nearest;
            least = fmin(far, least);
        }
        if (nearest == NULL)
            break;
        if (nearest->call == i || is_slower(nearest))
            take_times(judging, &calls[i], nearest->call == i ? nearest : NULL);
        slower += nearest->call == i && is_slower(nearest);
        others += nearest->call == i && !is_slower(nearest);
    }
    judging->trials->fate[slower + others == 0 ? RECOMMEND_OPEN
                          : slower == 0        ? RECOMMEND_HELD
                          : others == 0        ? RECOMMEND_DROPPED
                                               : RECOMMEND_MOVED]++;
}

bool recommend_judge_tried(struct recommend_work *work)
{
    const struct recommend_request *request = work->request;
    struct decide *decision = work->decision;
    struct recommend_trials trials = {
        .tried = sup_calloc(decision->call_count + 1, sizeof *trials.tried)};
    struct judging judging = {.work = work, .decision = decision, .trials = &trials};
    const uint64_t hash = recommend_hash(decision);
    struct out_left_out *left_out = &decision->left_out[DECIDE_UNTRIED];
    const struct out_left_out before = *left_out;
    *left_out = (struct out_left_out){.count = -(int64_t)work->answer->trials.rows};
    judging.sample = sup_calloc(request->tried_rows + 1, sizeof *judging.sample);
    for (size_t i = 0; i < request->tried_rows; i++) {
        const char *useless = take_row(&judging, request->tried[i], hash);
        if (useless != NULL)
            decide_leave_out(decision, DECIDE_UNTRIED, 1, useless);
    }
    for (size_t i = 0; i < decision->call_count; i++)
        judge_call(&judging, i);
    for (size_t i = 0; i < judging.count; i++)
        if (!judging.sample[i].paired)
            decide_leave_out(decision, DECIDE_UNTRIED, 1, "without a partner");
    for (size_t first = 0, end; first < decision->call_count && trials.count > 0; first = end) {
        end = rule_end(decision, first);
        if (is_ruled(&decision->calls[first]))
            judge_rule(&judging, first, end);
    }
    free(judging.sample);
    if (trials.count == 0) {
        free(trials.tried);
        if (work->answer->trials.count > 0)
            *left_out = before;
        return false;
    }
    trials.rows = work->answer->trials.rows + judging.count;
    free(work->answer->trials.tried);
    work->answer->trials = trials;
    return true;
}
