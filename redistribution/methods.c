/* methods.c - the ways to make a timetable, in the order of listing. A new one is a file and a line
 * here; the tests go through them. */
#include "redistribution.h"

#define PAPER "Desprez et al. 1998"

const struct rb_redistribute_method rb_redistribute_methods[] = {
    {"best", "T_opt; no cuts if a timetable without cuts is found, otherwise few", "Roundabout",
     redist_best},
    {"matching", "T_opt by matchings kept as long as possible; cuts messages",
     "Gonzalez, Sahni 1976", redist_matching},
    {"unit", "T_opt; every message is cut into units", PAPER ", Theorem 1", redist_unit},
    {"greedy", "no cuts; a list, and exchanges to shorten it", PAPER ", Section 4.3",
     redist_greedy},
    {"modular", "T_opt without cuts by classes modulo gcd(P r, Q s), under conditions",
     PAPER ", Proposition 1", redist_modular},
    {"stepwise", "the smallest number of synchronised steps", "Desprez et al. 1998 (TPDS)",
     redist_stepwise},
    {"stepwise-total", "synchronised steps with the smallest total length",
     "Desprez et al. 1998 (TPDS)", redist_stepwise_total},
    {"caterpillar", "synchronised steps: in step d, sender i sends to receiver i + d", "textbook",
     redist_caterpillar},
    {0},
};
