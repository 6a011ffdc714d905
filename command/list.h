/* list.h - the list of verbs, in the order of the program's help; a line here registers a verb. The
 * including file defines the macro VERB first, which is applied to each name; so this header has no
 * include guard. */

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
VERB(verb_audit)
VERB(verb_recommend)
VERB(verb_plot)
VERB(verb_report)
VERB(verb_measure)
VERB(verb_mpi_library)
VERB(verb_calibrate)
VERB(verb_predict)
VERB(verb_bench)
VERB(verb_doctor)
