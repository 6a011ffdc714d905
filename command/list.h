/* list.h - the verbs there are, in the order of the program's help: all that there is to
 * registering one. Whoever includes this says before what VERB makes of a name, and gets a line
 * of it for each; so it has no guard. */

VERB(verb_list)
VERB(verb_schedule)
VERB(verb_plan)
VERB(verb_verify)
VERB(verb_redistribute)
VERB(verb_simulate)
VERB(verb_check)
VERB(verb_platform)
VERB(verb_sweep)
VERB(verb_tune)
VERB(verb_plot)
VERB(verb_measure)
VERB(verb_calibrate)
VERB(verb_bench)
