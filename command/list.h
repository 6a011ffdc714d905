/* list.h - the verbs there are, in the order of the program's help: all that there is to
 * registering one. Whoever includes this says before what RB_VERB makes of a name, and gets a line
 * of it for each; so it has no guard. */

RB_VERB(rb_verb_list)
RB_VERB(rb_verb_schedule)
RB_VERB(rb_verb_plan)
RB_VERB(rb_verb_verify)
RB_VERB(rb_verb_redistribute)
RB_VERB(rb_verb_simulate)
RB_VERB(rb_verb_check)
RB_VERB(rb_verb_platform)
RB_VERB(rb_verb_sweep)
RB_VERB(rb_verb_tune)
RB_VERB(rb_verb_plot)
RB_VERB(rb_verb_measure)
RB_VERB(rb_verb_calibrate)
RB_VERB(rb_verb_bench)
