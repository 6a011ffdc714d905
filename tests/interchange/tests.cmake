# Schedules of other programs, and plans in files.
roundabout_test(plan_file roundabout_verbs)
add_test(NAME plan_file_all CONFIGURATIONS long COMMAND test_plan_file all)
set_tests_properties(plan_file_all PROPERTIES TIMEOUT 7200)
roundabout_test(goal roundabout_verbs)
roundabout_test(msccl roundabout_interchange)
add_test(NAME msccl_long CONFIGURATIONS long COMMAND test_msccl long)
roundabout_test(mscclpp roundabout_interchange)
roundabout_test(chakra roundabout_verbs)
