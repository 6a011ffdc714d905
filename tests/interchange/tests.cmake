# Schedules of other programs.
roundabout_test(goal roundabout_verbs)
roundabout_test(msccl roundabout_interchange)
add_test(NAME msccl_long CONFIGURATIONS long COMMAND test_msccl long)
roundabout_test(chakra roundabout_verbs)
