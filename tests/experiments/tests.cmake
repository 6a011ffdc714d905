# Points, sweeps, results, searches, and what else verbs run.
roundabout_test(parameters roundabout_verbs)
roundabout_test(workload_file roundabout_verbs)
target_compile_definitions(test_workload_file PRIVATE ROUNDABOUT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_compile_definitions(test_parameters PRIVATE ROUNDABOUT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
if(SMPICC)
  add_test(NAME sweep_natives COMMAND ${CMAKE_CURRENT_LIST_DIR}/sweep_natives.sh
    $<TARGET_FILE:roundabout_cli>)
endif()
roundabout_test(lower_bound roundabout_verbs)
roundabout_test(late_bounds roundabout_verbs)
roundabout_test(neighbours roundabout_verbs)
roundabout_test(arrivals roundabout_verbs)
roundabout_test(port_bound roundabout_verbs)
roundabout_test(cost roundabout_verbs)
roundabout_test(workload_parts roundabout_verbs)
roundabout_test(recorded roundabout_verbs)
roundabout_test(sweep roundabout_verbs)
roundabout_test(decide roundabout_verbs)
roundabout_test(judged roundabout_verbs)
roundabout_test(tune roundabout_verbs PkgConfig::JANSSON)
roundabout_test(compare roundabout_verbs PkgConfig::JANSSON)
roundabout_test(search roundabout_verbs)
add_test(NAME search_long CONFIGURATIONS long COMMAND test_search long)
set_tests_properties(search_long PROPERTIES TIMEOUT 7200)
add_executable(decision_of ${CMAKE_CURRENT_LIST_DIR}/decision_of.c)
target_link_libraries(decision_of PRIVATE roundabout_mpi_base roundabout_warnings)
add_test(NAME tune_sweep COMMAND ${CMAKE_CURRENT_LIST_DIR}/tune_sweep.sh
  $<TARGET_FILE:roundabout_cli> $<TARGET_FILE:decision_of>)
roundabout_test(sweep_results roundabout_verbs)
roundabout_test(damaged_results roundabout_verbs)
add_executable(sweep_rows ${CMAKE_CURRENT_LIST_DIR}/sweep_rows.c)
target_link_libraries(sweep_rows PRIVATE roundabout_verbs roundabout_warnings)
add_test(NAME sweep_resume COMMAND ${CMAKE_CURRENT_LIST_DIR}/sweep_resume.sh
  $<TARGET_FILE:roundabout_cli> $<TARGET_FILE:sweep_rows>)
add_test(NAME sweep_placements COMMAND ${CMAKE_CURRENT_LIST_DIR}/sweep_placements.sh
  $<TARGET_FILE:roundabout_cli>)
add_test(NAME sweep_shards COMMAND ${CMAKE_CURRENT_LIST_DIR}/sweep_shards.sh
  $<TARGET_FILE:roundabout_cli>)
add_test(NAME sweep_live COMMAND ${CMAKE_CURRENT_LIST_DIR}/sweep_live.sh
  $<TARGET_FILE:roundabout_cli>)
add_test(NAME options_take_what_keys_take COMMAND ${CMAKE_CURRENT_LIST_DIR}/options_take_what_keys_take.sh
  $<TARGET_FILE:roundabout_cli> ${CMAKE_SOURCE_DIR}/docs/formats.md)
add_test(NAME sweep_requests COMMAND ${CMAKE_CURRENT_LIST_DIR}/sweep_requests.sh
  $<TARGET_FILE:roundabout_cli>)
roundabout_test(measured roundabout_verbs)
target_compile_definitions(test_measured PRIVATE SOURCE_DIRECTORY="${CMAKE_SOURCE_DIR}")
