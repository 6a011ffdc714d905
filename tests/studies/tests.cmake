# Machines fitted to measured rows, predictions.
roundabout_test(machine roundabout_verbs)
roundabout_test(predict roundabout_verbs -Wl,--wrap=predict_fit -Wl,--wrap=predict_time)
roundabout_test(gpu roundabout_verbs)
target_compile_definitions(test_gpu PRIVATE SOURCE_DIRECTORY="${CMAKE_SOURCE_DIR}")

# Diagnosis, checks of papers.
roundabout_test(diagnosis roundabout_sim)
roundabout_test(formulas roundabout_verbs -Wl,--wrap=sim_run)
roundabout_test(table_3 roundabout_verbs)
# All points take minutes.
add_test(NAME gallery CONFIGURATIONS long COMMAND ${CMAKE_CURRENT_LIST_DIR}/gallery.sh $<TARGET_FILE:roundabout_cli>
  ${CMAKE_SOURCE_DIR}/docs/gallery.md)
set_tests_properties(gallery PROPERTIES PROCESSORS 2 TIMEOUT 3600)
add_test(NAME gaps COMMAND ${CMAKE_CURRENT_LIST_DIR}/gaps.sh $<TARGET_FILE:roundabout_cli> ${one_of})
add_test(NAME gaps_map CONFIGURATIONS long COMMAND ${CMAKE_SOURCE_DIR}/docs/draw-gaps --check $<TARGET_FILE:roundabout_cli>)
set_tests_properties(gaps_map PROPERTIES PROCESSORS 2 TIMEOUT 3600)

# Audits of choices.
roundabout_test(audit roundabout_verbs)

# Recommendations; tests/command/recommend.sh tests the verb.
roundabout_test(recommended roundabout_verbs)
roundabout_test(cluster_facts roundabout_verbs)
target_compile_definitions(test_cluster_facts PRIVATE SOURCE_DIRECTORY="${CMAKE_SOURCE_DIR}")

# Whole ranges of plans.
roundabout_test(verify_verb roundabout_verbs
  -Wl,--wrap=rb_verify_schedule,--wrap=rb_verify_schedule_rank,--wrap=rb_verify_plan,--wrap=rb_circulant_send,--wrap=sup_pool_next)
roundabout_test(schedule_table_file roundabout_verbs)
roundabout_test(counterexample roundabout_verbs)
