# Block-cyclic redistribution.
roundabout_test(redistribution roundabout_redistribution)
roundabout_test(redistribution_methods roundabout_redistribution)
roundabout_test(redistribution_plans roundabout_redistribution)
roundabout_test(timetables_without_cuts roundabout_redistribution)
roundabout_test(core_without_memory roundabout_redistribution
  -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free)
set_property(TEST redistribution redistribution_methods redistribution_plans timetables_without_cuts core_without_memory APPEND PROPERTY LABELS core)
