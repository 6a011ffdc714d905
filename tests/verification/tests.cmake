# Whole ranges of plans.
roundabout_test(verify_verb roundabout_verbs
  -Wl,--wrap=rb_verify_schedule,--wrap=rb_verify_schedule_rank,--wrap=rb_verify_plan,--wrap=rb_circulant_send,--wrap=sup_pool_next)
roundabout_test(schedule_table_file roundabout_verbs)
roundabout_test(counterexample roundabout_verbs)
