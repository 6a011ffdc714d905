# The benchmarks of the verb.
roundabout_test(bench roundabout_verbs
  -Wl,--wrap=rb_circulant_recv,--wrap=rb_plan_cost)
