# Block-cyclic redistribution.
roundabout_test(redistribution roundabout_redistribution)
roundabout_test(redistribution_methods roundabout_redistribution)
roundabout_test(redistribution_plans roundabout_redistribution)
roundabout_test(nocut roundabout_redistribution)
roundabout_test(memory roundabout_redistribution
  -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free)
set_property(TEST redistribution redistribution_methods redistribution_plans nocut memory APPEND PROPERTY LABELS core)
