# Diagnosis, pictures and traces, exports, checks of papers, doctor.
roundabout_test(diagnosis roundabout_sim)
roundabout_test(formulas roundabout_verbs -Wl,--wrap=sim_run)
roundabout_test(table_3 roundabout_verbs)
add_test(NAME doctor COMMAND ${CMAKE_CURRENT_LIST_DIR}/doctor.sh $<TARGET_FILE:roundabout_cli>)
# All points take minutes.
add_test(NAME gallery CONFIGURATIONS long COMMAND ${CMAKE_CURRENT_LIST_DIR}/gallery.sh $<TARGET_FILE:roundabout_cli>
  ${CMAKE_SOURCE_DIR}/docs/gallery.md)
set_tests_properties(gallery PROPERTIES PROCESSORS 2 TIMEOUT 3600)
add_test(NAME gaps COMMAND ${CMAKE_CURRENT_LIST_DIR}/gaps.sh $<TARGET_FILE:roundabout_cli>)
add_test(NAME gaps_map CONFIGURATIONS long COMMAND ${CMAKE_SOURCE_DIR}/docs/draw-gaps --check $<TARGET_FILE:roundabout_cli>)
set_tests_properties(gaps_map PROPERTIES PROCESSORS 2 TIMEOUT 3600)
