# The benchmarks of the verb, and those of engines, a program for developers (docs/testing.md).
set(bench_simulated ${CMAKE_CURRENT_LIST_DIR}/simulated.c ${CMAKE_CURRENT_LIST_DIR}/model.c
  ${CMAKE_CURRENT_LIST_DIR}/flow.c)
roundabout_test(bench roundabout_verbs
  -Wl,--wrap=rb_circulant_recv,--wrap=rb_plan_cost)
target_sources(test_bench PRIVATE ${bench_simulated})
add_executable(bench_engines ${CMAKE_CURRENT_LIST_DIR}/engines.c ${bench_simulated})
target_include_directories(bench_engines PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(bench_engines PRIVATE all_libraries roundabout_verbs roundabout_warnings m)
add_test(NAME bench_engines COMMAND ${CMAKE_CURRENT_LIST_DIR}/engines.sh $<TARGET_FILE:bench_engines>)
add_test(NAME bench_speed COMMAND ${CMAKE_CURRENT_LIST_DIR}/speed $<TARGET_FILE:roundabout_cli>
  --now $<TARGET_FILE:roundabout_cli> --only "hosts, p" --pairs 1)
set_tests_properties(bench_speed PROPERTIES PASS_REGULAR_EXPRESSION "hosts, p = 1024 .* equal ")
