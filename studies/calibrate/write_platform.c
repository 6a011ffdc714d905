/* write_platform.c - NAME.json and NAME.xml: the fit in forms for programs (calibrate.h). */
#include <inttypes.h>
#include <libxml/parser.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/generator.h"
#include "platforms/platform.h"
#include "studies/calibrate/calibrate.h"
#include "support/error.h"
#include "support/output/table.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_of_pieces(const struct calib_pieces *pieces)
{
    json_t *array = json_array();
    for (int32_t k = 0; k < pieces->count; k++) {
        const struct calib_piece *piece = &pieces->piece[k];
        json_array_append_new(
            array, json_pack("{s:I, s:f, s:f}", "from_bytes", (json_int_t)(piece->above_bytes + 1),
                             "alpha_s", piece->alpha_s, "beta_s_per_byte", piece->beta_s_per_byte));
    }
    return array;
}

static json_t *json_of_test(const struct calib_test *test)
{
    json_t *fitted = json_array(), *held_out = json_array(), *uncertain = json_array();
    for (size_t i = 0; i < test->count; i++) {
        const json_int_t bytes = (json_int_t)test->size[i].bytes;
        json_array_append_new(test->size[i].held_out ? held_out : fitted, json_integer(bytes));
        if (calib_is_uncertain(test->size[i].row))
            json_array_append_new(uncertain, json_integer(bytes));
    }
    return json_pack("{s:o, s:f, s:o, s:o, s:s, s:o}", "pieces", json_of_pieces(&test->pieces),
                     "fit_error", test->pieces.error, "fitted_bytes", fitted, "held_out_bytes",
                     held_out, "verdict", calib_verdict_names[test->verdict], "uncertain_bytes",
                     uncertain);
}

/* The LogGP parameters for short messages, and G for long ones (Alexandrov et al. 1995). */
static json_t *json_of_loggp(const struct calib_result *c)
{
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        if (c->test[t].count == 0)
            return json_null();
    const double least = c->test[MEASURE_LATENCY].size[0].bytes;
    const double send_s = calib_pieces_time(&c->test[MEASURE_SEND_TIME].pieces, least);
    const double receive_s = calib_pieces_time(&c->test[MEASURE_RECEIVE_TIME].pieces, least);
    const double latency_s = calib_pieces_time(&c->test[MEASURE_LATENCY].pieces, least);
    const struct calib_pieces *gap = &c->test[MEASURE_GAP].pieces;
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "L_s", fmax(latency_s - send_s - receive_s, 0),
                     "o_send_s", send_s, "o_receive_s", receive_s, "g_s",
                     calib_pieces_time(gap, least), "G_s_per_byte",
                     gap->piece[gap->count - 1].beta_s_per_byte);
}

json_t *calib_json(const struct calib_result *c)
{
    const struct measure_result *row = c->first;
    json_t *tests = json_object();
    for (int t = 0; t < MEASURE_PAIR_TESTS; t++)
        if (c->test[t].count > 0)
            json_object_set_new(tests, measure_pair_test_names[t], json_of_test(&c->test[t]));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:b, s:I, s:f, s:s, s:{s:f, s:f}, s:o, s:o}",
                     "version", cli_program_version, "mpi_library", out_json_text(row->mpi_library),
                     "host", out_json_text(row->host), "cpu", out_json_text(row->cpu), "kernel",
                     out_json_text(row->kernel), "same_host", row->same_host != 0, "seed",
                     (json_int_t)c->request->seed, "held_out", c->request->held_out,
                     "platform_basis", measure_pair_test_names[c->basis], "overall", "alpha_s",
                     c->overall.alpha_s, "beta_s_per_byte", c->overall.beta_s_per_byte, "loggp",
                     json_of_loggp(c), "tests", tests);
}

/* ---- XML ------------------------------------------------------------------------------------- */

/* Divisors and factors must not be 0. */
#define LEAST_ALPHA_S         1e-12
#define LEAST_BETA_S_PER_BYTE 1e-15

/* The platform's links have the time of the smallest messages as latency, because SimGrid has no
 * factors for 0 bytes, and the bandwidth of one line through all sizes. */
static double base_alpha_s(const struct calib_result *c)
{
    return fmax(c->test[c->basis].pieces.piece[0].alpha_s, LEAST_ALPHA_S);
}

static double base_beta(const struct calib_result *c)
{
    return fmax(c->overall.beta_s_per_byte, LEAST_BETA_S_PER_BYTE);
}

/* "0:1;1024:0.7": SimGrid takes a factor for sizes above its number. */
static void write_factors(const struct calib_result *c, bool latency, char *text, size_t size)
{
    const struct calib_pieces *pieces = &c->test[c->basis].pieces;
    text[0] = '\0';
    for (int32_t k = 0; k < pieces->count; k++) {
        const struct calib_piece *piece = &pieces->piece[k];
        const double factor =
            latency ? piece->alpha_s / base_alpha_s(c)
                    : base_beta(c) / fmax(piece->beta_s_per_byte, LEAST_BETA_S_PER_BYTE);
        sup_append(text, size, ";", "%.0f:%.9g", fmax(piece->above_bytes, 0), factor);
    }
}

static void add_factors(const struct calib_result *c, xmlNodePtr config, const char *option,
                        bool latency)
{
    char text[64 * CALIB_MOST_PIECES];
    xmlNodePtr prop = xmlNewChild(config, NULL, BAD_CAST "prop", NULL);
    write_factors(c, latency, text, sizeof text);
    xmlNewProp(prop, BAD_CAST "id", BAD_CAST option);
    xmlNewProp(prop, BAD_CAST "value", BAD_CAST text);
}

/* The comment before <platform>. Two hyphens would end it, and XML wants characters. */
static void add_comment(const struct calib_result *c, xmlDocPtr document, xmlNodePtr root)
{
    char text[768], shown[4 * sizeof text];
    snprintf(text, sizeof text,
             " calibrated by roundabout %s: %s times between ranks %s, %s, %s. The cluster's "
             "latency is that of the smallest messages, its bandwidth that of a line through "
             "all sizes; the factors are for sizes above each number, and network/model:SMPI "
             "heeds them (docs/measure.md). ",
             cli_program_version, measure_pair_test_names[c->basis],
             c->first->same_host != 0 ? "of one host" : "of different hosts", c->first->cpu,
             c->first->mpi_library);
    for (char *hyphens; (hyphens = strstr(text, "--")) != NULL;)
        *hyphens = ' ';
    xmlAddPrevSibling(root,
                      xmlNewDocComment(document, BAD_CAST sup_visible(text, shown, sizeof shown)));
}

static int write_document(FILE *stream, xmlDocPtr document, struct sup_error *error)
{
    xmlChar *text = NULL;
    int size = 0;
    xmlDocDumpFormatMemoryEnc(document, &text, &size, "UTF-8", 1);
    if (text == NULL)
        return sup_fail(error, RB_ENOMEM, "out of memory");
    fwrite(text, 1, (size_t)size, stream); /* errors show when it is closed */
    xmlFree(text);
    return RB_OK;
}

/* The generator's crossbar, with the factors added. */
int calib_platform(const struct calib_result *c, FILE *stream, struct sup_error *error)
{
    char text[160], *xml = NULL;
    size_t size;
    snprintf(text, sizeof text, "crossbar:%" PRId32 ",bandwidth=%.9gBps,latency=%.9gs", c->hosts,
             1 / base_beta(c), base_alpha_s(c));
    int status = platform_make_xml(text, &xml, &size, error);
    if (status != RB_OK)
        return status;
    struct platform_xml_errors errors;
    platform_xml_errors_begin(&errors);
    xmlDocPtr document = xmlReadMemory(xml, (int)size, NULL, NULL, XML_PARSE_NOBLANKS);
    xmlNodePtr root = document == NULL ? NULL : xmlDocGetRootElement(document);
    free(xml);
    if (root == NULL) {
        platform_xml_errors_end();
        xmlFreeDoc(document);
        return sup_fail(error, RB_ENOMEM, "out of memory");
    }
    xmlNodePtr config = xmlNewDocNode(document, NULL, BAD_CAST "config", NULL);
    xmlAddPrevSibling(xmlFirstElementChild(root), config);
    xmlNewProp(config, BAD_CAST "id", BAD_CAST "General");
    add_factors(c, config, "smpi/lat-factor", true);
    add_factors(c, config, "smpi/bw-factor", false);
    add_comment(c, document, root);
    status = errors.any ? sup_fail(error, RB_ENOMEM, "out of memory")
                        : write_document(stream, document, error);
    platform_xml_errors_end();
    xmlFreeDoc(document);
    return status;
}
