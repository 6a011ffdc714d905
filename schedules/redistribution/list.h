/* list.h - the ways to make a timetable, in the order of listing: a new one is a file with a
 * function redist_NAME and a line here; the tests go through them. Each has a plan.
 *
 * The including file defines REDIST_METHOD(function, name, title, source, rounds of the plan, its
 * .suits); so this header has no include guard. */

REDIST_METHOD(best, "best", "T_opt; no cuts if a timetable without cuts is found, otherwise few",
              "Roundabout", "at most one per message", NULL)
REDIST_METHOD(matching, "matching", "T_opt by matchings kept as long as possible; cuts messages",
              "Gonzalez, Sahni 1976", "at most one per message", NULL)
REDIST_METHOD(unit, "unit", "T_opt; every message is cut into units",
              "Desprez et al. 1998, Theorem 1", "T_opt", NULL)
REDIST_METHOD(greedy, "greedy", "no cuts; a list, and exchanges to shorten it",
              "Desprez et al. 1998, Section 4.3", "at most one per message", NULL)
REDIST_METHOD(modular, "modular",
              "T_opt without cuts by classes modulo gcd(P r, Q s), under conditions",
              "Desprez et al. 1998, Proposition 1", "at most one per message",
              redist_scheduled_applies)
REDIST_METHOD(stepwise, "stepwise", "the smallest number of synchronised steps",
              "Desprez et al. 1998 (TPDS)", "the most messages of one rank", NULL)
REDIST_METHOD(stepwise_total, "stepwise-total", "synchronised steps with the smallest total length",
              "Desprez et al. 1998 (TPDS)", "at most one per message", NULL)
REDIST_METHOD(caterpillar, "caterpillar",
              "synchronised steps: in step d, sender i sends to receiver i + d", "textbook",
              "max(P, Q)", NULL)

#undef REDIST_METHOD
