# Names of algorithms and files of rules.
roundabout_test(mpilib roundabout_verbs)
roundabout_test(rules roundabout_verbs)
if(SMPICC)
  roundabout_test(choices_are_those_of_smpi roundabout_verbs)
  add_test(NAME choices_are_those_of_smpi_long CONFIGURATIONS long COMMAND test_choices_are_those_of_smpi long)
endif()

# The libraries themselves with files of rules; ctest -L mpi.
set(rules_environment "ASAN_OPTIONS=fast_unwind_on_malloc=0"
  "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/mpi/mpi_leaks.supp:print_suppressions=0")
file(GLOB rules_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/mpi/vendors/rules/*.c
  ${CMAKE_SOURCE_DIR}/mpi/vendors/names/*.c)
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
  set_tests_properties(rules_openmpi PROPERTIES LABELS mpi TIMEOUT 300
    ENVIRONMENT "${rules_environment}")
endif()
if(TARGET rules_on_mpi_mpich)
  add_test(NAME rules_mpich COMMAND ${CMAKE_CURRENT_LIST_DIR}/rules_mpich.sh ${MPIRUN_mpich}
    $<TARGET_FILE:rules_on_mpi_mpich>)
  set_tests_properties(rules_mpich PROPERTIES LABELS mpi TIMEOUT 300
    ENVIRONMENT "${rules_environment}")
endif()

# The tuner plugin for NCCL, by a stand-in of NCCL. It is loaded at run time, so it needs nothing of ours.
add_executable(test_nccl_tuner ${CMAKE_CURRENT_LIST_DIR}/test_nccl_tuner.c)
target_link_libraries(test_nccl_tuner PRIVATE roundabout_warnings PkgConfig::CMOCKA ${CMAKE_DL_LIBS})
add_dependencies(test_nccl_tuner roundabout_nccl_tuner)
add_test(NAME nccl_tuner COMMAND test_nccl_tuner $<TARGET_FILE:roundabout_nccl_tuner>)
