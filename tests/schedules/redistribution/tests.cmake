# Block-cyclic redistribution.
roundabout_test(redistribution roundabout_redistribution)
roundabout_test(redistribution_methods roundabout_redistribution)
roundabout_test(redistribution_plans roundabout_redistribution)
roundabout_test(timetables_without_cuts roundabout_redistribution)
set(without_memory -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free) # tests/without_memory.h
set(spared_memory ${without_memory} -Wl,--wrap=aligned_alloc) # tests/spared_memory.h
foreach(name malloc calloc realloc reallocarray strdup strndup vformat format grow map_at memory_close)
  list(APPEND spared_memory -Wl,--wrap=sup_${name})
endforeach()
roundabout_test(core_without_memory roundabout_redistribution ${without_memory})
set_property(TEST redistribution redistribution_methods redistribution_plans timetables_without_cuts core_without_memory APPEND PROPERTY LABELS core)

# Certificates: what pages and the paper say does not exist is proved by steps that a program apart from ours checks.
add_executable(solve_formula ${CMAKE_CURRENT_LIST_DIR}/solve_formula.c)
target_include_directories(solve_formula PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(solve_formula PRIVATE roundabout_redistribution roundabout_warnings)
if(NOT ROUNDABOUT_CORE_ONLY AND ROUNDABOUT_PYTHON)
  set(certificates ${ROUNDABOUT_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/certificates.py ${CMAKE_SOURCE_DIR}
    $<TARGET_FILE:roundabout_cli> $<TARGET_FILE:redistribution_cases> $<TARGET_FILE:solve_formula>)
  add_test(NAME certificates COMMAND ${certificates})
  add_test(NAME certificates_all CONFIGURATIONS long COMMAND ${certificates} --all)
  set_tests_properties(certificates PROPERTIES LABELS once SKIP_RETURN_CODE 77)
  set_tests_properties(certificates_all PROPERTIES TIMEOUT 7200 SKIP_RETURN_CODE 77)
endif()
