# Points, sweeps, results, searches, and what else verbs run.
roundabout_test(parameters roundabout_verbs)
target_compile_definitions(test_parameters PRIVATE ROUNDABOUT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
roundabout_test(bench roundabout_verbs
  -Wl,--wrap=rb_circulant_recv,--wrap=rb_plan_cost)
roundabout_test(diagnosis roundabout_sim)
roundabout_test(diagram roundabout_verbs PkgConfig::JANSSON)
roundabout_test(contention_picture roundabout_verbs PkgConfig::JANSSON)
roundabout_test(trace roundabout_verbs PkgConfig::JANSSON)
roundabout_test(export roundabout_verbs)
if(SMPICC)
  add_test(NAME sweep_natives COMMAND ${CMAKE_CURRENT_LIST_DIR}/sweep_natives.sh
    $<TARGET_FILE:roundabout_cli>)
endif()
roundabout_test(formulas roundabout_verbs -Wl,--wrap=sim_run)
roundabout_test(table_3 roundabout_verbs)
roundabout_test(lower_bound roundabout_verbs)
roundabout_test(cost roundabout_verbs)
roundabout_test(sweep roundabout_verbs)
roundabout_test(tune roundabout_verbs PkgConfig::JANSSON)
roundabout_test(search roundabout_verbs)
roundabout_test(audit roundabout_verbs)
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
add_test(NAME sweep_requests COMMAND ${CMAKE_CURRENT_LIST_DIR}/sweep_requests.sh
  $<TARGET_FILE:roundabout_cli>)
roundabout_test(mpilib roundabout_verbs)
roundabout_test(rules roundabout_verbs)
roundabout_test(measured roundabout_verbs)
target_compile_definitions(test_measured PRIVATE SOURCE_DIRECTORY="${CMAKE_SOURCE_DIR}")
roundabout_test(path roundabout_verbs)
roundabout_test(machine roundabout_verbs)
roundabout_test(predict roundabout_verbs -Wl,--wrap=predict_fit -Wl,--wrap=predict_time)

# The libraries themselves with files of rules; ctest -L mpi.
set(rules_environment "ASAN_OPTIONS=fast_unwind_on_malloc=0"
  "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/mpi/mpi_leaks.supp:print_suppressions=0")
file(GLOB rules_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/mpi_libraries/rules/*.c
  ${CMAKE_SOURCE_DIR}/mpi_libraries/names/*.c)
foreach(flavour ${ROUNDABOUT_MPI_TEST_FLAVOURS})
  add_executable(rules_on_mpi_${flavour} ${CMAKE_CURRENT_LIST_DIR}/rules_on_mpi.c
    ${CMAKE_CURRENT_LIST_DIR}/rules_witness_${flavour}.c ${rules_sources})
  target_include_directories(rules_on_mpi_${flavour} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(rules_on_mpi_${flavour} PRIVATE roundabout_mpi_base mpi_${flavour}
    PkgConfig::JANSSON roundabout_warnings m ${CMAKE_DL_LIBS})
  # The library calls the witness instead of what it stands for.
  set_target_properties(rules_on_mpi_${flavour} PROPERTIES ENABLE_EXPORTS ON)
endforeach()
if(TARGET rules_on_mpi_openmpi)
  add_test(NAME rules_openmpi COMMAND ${CMAKE_CURRENT_LIST_DIR}/rules_openmpi.sh
    "${MPIRUN_openmpi} --allow-run-as-root --oversubscribe" $<TARGET_FILE:rules_on_mpi_openmpi>)
  set_tests_properties(rules_openmpi PROPERTIES LABELS mpi PROCESSORS 2 TIMEOUT 300
    ENVIRONMENT "${rules_environment}")
endif()
if(TARGET rules_on_mpi_mpich)
  add_test(NAME rules_mpich COMMAND ${CMAKE_CURRENT_LIST_DIR}/rules_mpich.sh ${MPIRUN_mpich}
    $<TARGET_FILE:rules_on_mpi_mpich>)
  set_tests_properties(rules_mpich PROPERTIES LABELS mpi PROCESSORS 2 TIMEOUT 300
    ENVIRONMENT "${rules_environment}")
endif()
add_test(NAME doctor COMMAND ${CMAKE_CURRENT_LIST_DIR}/doctor.sh $<TARGET_FILE:roundabout_cli>)
