# Plans on real MPI.
roundabout_test(measure roundabout_verbs)
roundabout_test(mpi_window roundabout_mpi_base)
roundabout_test(mpi_choice roundabout_mpi_base)
roundabout_test(mpi_trial roundabout_mpi_base)
roundabout_test(mpi_decisions roundabout_mpi_base)
target_compile_definitions(test_mpi_decisions PRIVATE ROUNDABOUT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
roundabout_test(mpi_report roundabout_mpi_base)
roundabout_test(mpi_script roundabout_mpi_base)
roundabout_test(mpi_plan_cache roundabout_mpi_base
  -Wl,--wrap=rb_plan_create,--wrap=rb_plan_destroy)
roundabout_test(mpi_caches_without_memory roundabout_mpi_base ${without_memory})

# These run on each MPI library found; ctest -L mpi. mpi_executor_split splits messages of more
# than 5 elements, as others are split beyond 2^31 - 1.
set(mpirun_flags_openmpi --allow-run-as-root --oversubscribe)
set(mpirun_flags_mpich "")
# Plans are chosen by rule, except in the tests of the online choice.
set(mpi_test_environment "RB_ONLINE=off" "ASAN_OPTIONS=fast_unwind_on_malloc=0"
  "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/mpi_leaks.supp:print_suppressions=0")
function(roundabout_mpi_test name flavour ranks)
  add_test(NAME ${name}_${flavour}_${ranks} COMMAND ${MPIRUN_${flavour}}
    ${mpirun_flags_${flavour}} -n ${ranks} $<TARGET_FILE:${name}_${flavour}> ${ARGN})
  set_tests_properties(${name}_${flavour}_${ranks} PROPERTIES LABELS mpi PROCESSORS 2 TIMEOUT 600
    ENVIRONMENT "${mpi_test_environment}")
endfunction()
set(online_ranks_openmpi 5 3)
set(online_ranks_mpich 2)
set(host_rules_mpich few)
set(settings_splits_openmpi 3) # in the first tier and with sanitizers; the other has more cases
set(settings_splits_mpich 8)
# MPICH has 2046 of them.
set(communicators_openmpi 200)
set(communicators_mpich 1900)
set(fortran_modules_openmpi mpi mpi_f08)
set(fortran_modules_mpich mpi)
foreach(flavour ${ROUNDABOUT_MPI_TEST_FLAVOURS})
  set(MPIFORT_${flavour} mpifort.${flavour}) # optional; the one beside mpicc
  if(MPICC_${flavour} MATCHES "^(.*/)mpicc([^/]*)$")
    set(MPIFORT_${flavour} ${CMAKE_MATCH_1}mpifort${CMAKE_MATCH_2})
  endif()
  execute_process(COMMAND ${MPIFORT_${flavour}} --version OUTPUT_QUIET ERROR_QUIET
    RESULT_VARIABLE no_fortran_${flavour})
  add_executable(mpi_executor_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_executor.c)
  add_executable(mpi_executor_split_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_executor.c ${ROUNDABOUT_EXECUTOR_SOURCES})
  target_compile_definitions(mpi_executor_split_${flavour} PRIVATE EXEC_MAX_COUNT=5)
  target_link_libraries(mpi_executor_${flavour} PRIVATE roundabout_executor_${flavour})
  target_link_libraries(mpi_executor_split_${flavour} PRIVATE roundabout_mpi_base mpi_${flavour})
  foreach(program mpi_executor_${flavour} mpi_executor_split_${flavour})
    target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${program} PRIVATE roundabout_warnings)
  endforeach()
  roundabout_mpi_test(mpi_executor ${flavour} 9 --splits 3)
  roundabout_mpi_test(mpi_executor_split ${flavour} 5 --splits 2)

  foreach(program mpi_library mpi_exchange mpi_rooted mpi_hosts mpi_host_order mpi_threads mpi_edges mpi_errors
      mpi_communicators mpi_shortcut mpi_settings)
    add_executable(${program}_${flavour} ${CMAKE_CURRENT_LIST_DIR}/${program}.c)
    target_include_directories(${program}_${flavour} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${program}_${flavour} PRIVATE roundabout_mpi_${flavour}
      roundabout_warnings)
  endforeach()

  # Splits data beyond 16 bytes, as other data are split beyond 2^30 bytes.
  add_executable(mpi_packing_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_packing.c)
  target_link_libraries(mpi_packing_${flavour} PRIVATE roundabout_mpi_${flavour})
  add_executable(mpi_packing_split_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_packing.c ${CMAKE_SOURCE_DIR}/mpi/library/data.c)
  target_compile_definitions(mpi_packing_split_${flavour} PRIVATE LIB_PACKED_AT_ONCE=16)
  target_link_libraries(mpi_packing_split_${flavour} PRIVATE roundabout_executor_${flavour})
  foreach(program mpi_packing_${flavour} mpi_packing_split_${flavour})
    target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR}
      ${CMAKE_SOURCE_DIR}/schedules/include)
    target_link_libraries(${program} PRIVATE roundabout_warnings)
  endforeach()
  roundabout_mpi_test(mpi_packing_split ${flavour} 1)
  add_test(NAME mpi_packing_${flavour}_huge CONFIGURATIONS long COMMAND ${MPIRUN_${flavour}}
    ${mpirun_flags_${flavour}} -n 1 $<TARGET_FILE:mpi_packing_${flavour}> huge)
  set_tests_properties(mpi_packing_${flavour}_huge PROPERTIES LABELS mpi RUN_SERIAL ON TIMEOUT 600
    ENVIRONMENT "${mpi_test_environment}")

  add_test(NAME measure_calibrate_${flavour}
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/measure_calibrate.sh $<TARGET_FILE:roundabout_cli>
            ${MPIRUN_${flavour}} ${mpirun_flags_${flavour}})
  set_tests_properties(measure_calibrate_${flavour} PROPERTIES LABELS mpi TIMEOUT 300
    ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0") # looking for them takes most of a minute

  add_test(NAME try_rules_${flavour} COMMAND ${CMAKE_CURRENT_LIST_DIR}/try_rules.sh $<TARGET_FILE:roundabout_cli> ${flavour}
    ${MPIRUN_${flavour}} ${mpirun_flags_${flavour}})
  set_tests_properties(try_rules_${flavour} PROPERTIES LABELS mpi TIMEOUT 300
    ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")

  roundabout_mpi_test(mpi_library ${flavour} 6 --splits 3)
  roundabout_mpi_test(mpi_exchange ${flavour} 6 --splits 3)
  roundabout_mpi_test(mpi_rooted ${flavour} 6 --splits 3)
  roundabout_mpi_test(mpi_edges ${flavour} 3)
  roundabout_mpi_test(mpi_hosts ${flavour} 7 hosts:n=3,window=1 hosts:n=7,r=3)
  add_test(NAME mpi_rails_${flavour}_7 COMMAND ${MPIRUN_${flavour}} ${mpirun_flags_${flavour}}
    -n 7 $<TARGET_FILE:mpi_hosts_${flavour}> rails:n=3,window=1)
  add_test(NAME mpi_rails_own_${flavour}_7 COMMAND ${MPIRUN_${flavour}} ${mpirun_flags_${flavour}}
    -n 7 $<TARGET_FILE:mpi_hosts_${flavour}> rails:n=3,window=1)
  add_test(NAME mpi_rails_direct_${flavour}_7 COMMAND ${MPIRUN_${flavour}} ${mpirun_flags_${flavour}}
    -n 7 $<TARGET_FILE:mpi_hosts_${flavour}> rails-direct:n=3,window=2)
  set_tests_properties(mpi_rails_${flavour}_7 mpi_rails_own_${flavour}_7
      mpi_rails_direct_${flavour}_7 PROPERTIES
    LABELS mpi PROCESSORS 2 TIMEOUT 600)
  set_tests_properties(mpi_rails_own_${flavour}_7 PROPERTIES
    ENVIRONMENT "${mpi_test_environment};RB_HOSTS=2,1,3;RB_RAILS=3")
  set_tests_properties(mpi_rails_${flavour}_7 mpi_rails_direct_${flavour}_7 PROPERTIES
    ENVIRONMENT "${mpi_test_environment};RB_HOSTS=2,1,3")
  set_tests_properties(mpi_hosts_${flavour}_7 PROPERTIES
    ENVIRONMENT "${mpi_test_environment};RB_HOSTS=2,1,4")
  # Leaf switches of three and two ranks: by both levels.
  foreach(setting exchange turns:n=3,window=2)
    string(REGEX MATCH "^[a-z]+" name ${setting})
    add_test(NAME mpi_levels_${name}_${flavour} COMMAND ${MPIRUN_${flavour}} ${mpirun_flags_${flavour}}
      -n 7 $<TARGET_FILE:mpi_hosts_${flavour}> ${setting} hosts:n=5)
    set_tests_properties(mpi_levels_${name}_${flavour} PROPERTIES LABELS mpi PROCESSORS 2 TIMEOUT 600
      ENVIRONMENT "${mpi_test_environment};RB_HOSTS=2,1/3,2")
  endforeach()
  roundabout_mpi_test(mpi_host_order ${flavour} 1)
  roundabout_mpi_test(mpi_errors ${flavour} 3)
  roundabout_mpi_test(mpi_shortcut ${flavour} 2)
  set_tests_properties(mpi_shortcut_${flavour}_2 PROPERTIES
    ENVIRONMENT "${mpi_test_environment};RB_ONLINE=exact")
  roundabout_mpi_test(mpi_settings ${flavour} 6 --splits ${settings_splits_${flavour}})
  roundabout_mpi_test(mpi_communicators ${flavour} 3 40)
  roundabout_mpi_test(mpi_threads ${flavour} 2 --times 10)
  roundabout_mpi_test(mpi_threads ${flavour} 3 --times 10)
  set_tests_properties(mpi_threads_${flavour}_2 mpi_threads_${flavour}_3 PROPERTIES
    SKIP_RETURN_CODE 77)
  set_tests_properties(mpi_threads_${flavour}_3 PROPERTIES
    ENVIRONMENT "${mpi_test_environment};RB_ONLINE=exact")

  # Allocations that fail on one rank; the long tests let each of them fail.
  add_executable(mpi_memory_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_memory.c)
  target_link_libraries(mpi_memory_${flavour} PRIVATE roundabout_mpi_${flavour}
    roundabout_warnings -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc)
  set(memory_command ${CMAKE_CURRENT_LIST_DIR}/mpi_memory.sh $<TARGET_FILE:mpi_memory_${flavour}>)
  add_test(NAME mpi_memory_${flavour}
    COMMAND ${memory_command} few ${MPIRUN_${flavour}} ${mpirun_flags_${flavour}})
  add_test(NAME mpi_memory_${flavour}_all CONFIGURATIONS long
    COMMAND ${memory_command} all ${MPIRUN_${flavour}} ${mpirun_flags_${flavour}})
  set_tests_properties(mpi_memory_${flavour} mpi_memory_${flavour}_all PROPERTIES LABELS mpi TIMEOUT 3600
    ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0;RB_ONLINE=off")

  add_executable(mpi_online_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_online.c)
  target_link_libraries(mpi_online_${flavour} PRIVATE mpi_${flavour} roundabout_warnings)
  list(JOIN mpirun_flags_${flavour} " " flags)
  add_test(NAME mpi_online_${flavour} COMMAND ${CMAKE_CURRENT_LIST_DIR}/mpi_online.sh
    "${MPIRUN_${flavour}} ${flags}" $<TARGET_FILE:roundabout_preload_${flavour}>
    $<TARGET_FILE:mpi_online_${flavour}> ${online_ranks_${flavour}})
  set_tests_properties(mpi_online_${flavour} PROPERTIES LABELS mpi TIMEOUT 300
    ENVIRONMENT "${mpi_test_environment}")
  add_test(NAME mpi_hosts_rules_${flavour} COMMAND ${CMAKE_CURRENT_LIST_DIR}/mpi_hosts.sh
    "${MPIRUN_${flavour}} ${flags}" $<TARGET_FILE:roundabout_preload_${flavour}>
    $<TARGET_FILE:mpi_online_${flavour}> 3 ${host_rules_${flavour}})
  set_tests_properties(mpi_hosts_rules_${flavour} PROPERTIES LABELS mpi TIMEOUT 300
    ENVIRONMENT "${mpi_test_environment}")
  if(ROUNDABOUT_HWLOC)
    add_executable(mpi_interfaces_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_interfaces.c)
    target_include_directories(mpi_interfaces_${flavour} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(mpi_interfaces_${flavour} PRIVATE roundabout_mpi_${flavour} roundabout_warnings)
    add_test(NAME mpi_interfaces_${flavour} COMMAND ${CMAKE_CURRENT_LIST_DIR}/mpi_interfaces.sh
      $<TARGET_FILE:mpi_interfaces_${flavour}> "${MPIRUN_${flavour}} ${flags}"
      $<TARGET_FILE:roundabout_preload_${flavour}> $<TARGET_FILE:mpi_online_${flavour}>)
    set_tests_properties(mpi_interfaces_${flavour} PROPERTIES LABELS mpi TIMEOUT 300
      SKIP_RETURN_CODE 77 ENVIRONMENT "${mpi_test_environment}")
  endif()
  add_executable(mpi_growth_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_growth.c)
  target_link_libraries(mpi_growth_${flavour} PRIVATE mpi_${flavour} roundabout_warnings)
  foreach(online exact off)
    add_test(NAME mpi_growth_${flavour}_${online} CONFIGURATIONS long COMMAND ${MPIRUN_${flavour}}
      ${mpirun_flags_${flavour}} -n 2 env LD_PRELOAD=$<TARGET_FILE:roundabout_preload_${flavour}>
      RB_ONLINE=${online} $<TARGET_FILE:mpi_growth_${flavour}> 10000000)
    set_tests_properties(mpi_growth_${flavour}_${online} PROPERTIES LABELS mpi RUN_SERIAL ON
      TIMEOUT 3600)
  endforeach()
  add_executable(mpi_unmodified_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_unmodified.c)
  target_link_libraries(mpi_unmodified_${flavour} PRIVATE mpi_${flavour} roundabout_warnings)
  add_executable(mpi_unmodified_communicators_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_communicators.c)
  target_compile_definitions(mpi_unmodified_communicators_${flavour} PRIVATE UNMODIFIED)
  target_include_directories(mpi_unmodified_communicators_${flavour} PRIVATE
    ${CMAKE_SOURCE_DIR}/mpi/include)
  target_link_libraries(mpi_unmodified_communicators_${flavour} PRIVATE mpi_${flavour}
    roundabout_warnings)
  list(JOIN mpirun_flags_${flavour} " " flags)
  set(fortran_programs "")
  if(NOT no_fortran_${flavour})
    separate_arguments(fortran_flags NATIVE_COMMAND "${CMAKE_C_FLAGS}")
    foreach(module ${fortran_modules_${flavour}})
      set(program ${CMAKE_CURRENT_BINARY_DIR}/unmodified_${module}_${flavour})
      add_custom_command(OUTPUT ${program} DEPENDS ${CMAKE_CURRENT_LIST_DIR}/mpi_unmodified.f90
        COMMAND ${MPIFORT_${flavour}} ${fortran_flags} -cpp -DMODULE=${module} -o ${program}
          ${CMAKE_CURRENT_LIST_DIR}/mpi_unmodified.f90)
      list(APPEND fortran_programs ${program})
    endforeach()
    add_custom_target(mpi_unmodified_fortran_${flavour} ALL DEPENDS ${fortran_programs})
  endif()
  if(flavour IN_LIST ROUNDABOUT_TRACE_FLAVOURS)
    add_test(NAME mpi_trace_${flavour} COMMAND ${CMAKE_CURRENT_LIST_DIR}/mpi_trace.sh
      "${MPIRUN_${flavour}} ${flags}" $<TARGET_FILE:roundabout_cli>
      $<TARGET_FILE:mpi_unmodified_${flavour}>)
    set_tests_properties(mpi_trace_${flavour} PROPERTIES LABELS mpi TIMEOUT 300
      ENVIRONMENT "${mpi_test_environment}")
  endif()
  add_executable(mpi_record_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_record.c)
  add_executable(mpi_record_large_${flavour} ${CMAKE_CURRENT_LIST_DIR}/mpi_record.c)
  target_compile_definitions(mpi_record_large_${flavour} PRIVATE LARGE)
  add_library(mpi_count_${flavour} MODULE ${CMAKE_CURRENT_LIST_DIR}/mpi_count.c)
  foreach(program mpi_record_${flavour} mpi_record_large_${flavour} mpi_count_${flavour})
    target_link_libraries(${program} PRIVATE mpi_${flavour})
  endforeach()
  add_test(NAME mpi_record_${flavour} COMMAND ${CMAKE_CURRENT_LIST_DIR}/mpi_record.sh
    "${MPIRUN_${flavour}} ${flags}" $<TARGET_FILE:roundabout_preload_${flavour}> $<TARGET_FILE:mpi_count_${flavour}>
    $<TARGET_FILE:mpi_record_${flavour}> $<TARGET_FILE:mpi_record_large_${flavour}>
    $<TARGET_FILE:roundabout_cli> ${fortran_programs})
  set_tests_properties(mpi_record_${flavour} PROPERTIES LABELS mpi TIMEOUT 300
    ENVIRONMENT "${mpi_test_environment}")
  add_test(NAME mpi_preload_${flavour} COMMAND ${CMAKE_CURRENT_LIST_DIR}/mpi_preload.sh
    "${MPIRUN_${flavour}} ${flags}" $<TARGET_FILE:roundabout_preload_${flavour}>
    $<TARGET_FILE:mpi_unmodified_${flavour}>
    "$<TARGET_FILE:mpi_unmodified_communicators_${flavour}> ${communicators_${flavour}}"
    ${fortran_programs})
  set_tests_properties(mpi_preload_${flavour} PROPERTIES LABELS mpi TIMEOUT 300
    ENVIRONMENT "${mpi_test_environment}")
endforeach()
# Each preloaded under the other's programs.
list(LENGTH ROUNDABOUT_MPI_TEST_FLAVOURS flavour_count)
if(flavour_count EQUAL 2)
  add_executable(mpi_late ${CMAKE_CURRENT_LIST_DIR}/mpi_late.c)
  target_link_libraries(mpi_late PRIVATE roundabout_warnings ${CMAKE_DL_LIBS})
  set(other_of_openmpi mpich)
  set(other_of_mpich openmpi)
  set(name_of_openmpi "Open MPI")
  set(name_of_mpich MPICH)
  foreach(flavour openmpi mpich)
    set(other ${other_of_${flavour}})
    add_library(mpi_late_part_${flavour} MODULE ${CMAKE_CURRENT_LIST_DIR}/mpi_late.c)
    target_compile_definitions(mpi_late_part_${flavour} PRIVATE PART)
    target_link_libraries(mpi_late_part_${flavour} PRIVATE mpi_${flavour} roundabout_warnings)
    list(JOIN mpirun_flags_${flavour} " " flags)
    add_test(NAME mpi_flavour_${flavour} COMMAND ${CMAKE_CURRENT_LIST_DIR}/mpi_flavour.sh
      "${MPIRUN_${flavour}} ${flags}" $<TARGET_FILE:roundabout_preload_${other}>
      ${name_of_${other}} $<TARGET_FILE:roundabout_preload_${flavour}>
      $<TARGET_FILE:mpi_unmodified_${flavour}> $<TARGET_FILE:mpi_late>
      $<TARGET_FILE:mpi_late_part_${flavour}>)
    set_tests_properties(mpi_flavour_${flavour} PROPERTIES LABELS mpi TIMEOUT 300
      ENVIRONMENT "${mpi_test_environment}")
  endforeach()
endif()
if(mpich IN_LIST ROUNDABOUT_MPI_TEST_FLAVOURS)
  add_test(NAME mpi_executor_mpich_17 CONFIGURATIONS long COMMAND ${MPIRUN_mpich} -n 17
    $<TARGET_FILE:mpi_executor_mpich> --splits 1)
  set_tests_properties(mpi_executor_mpich_17 PROPERTIES LABELS mpi PROCESSORS 2 TIMEOUT 3600
    ENVIRONMENT "${mpi_test_environment}")
endif()
if(openmpi IN_LIST ROUNDABOUT_MPI_TEST_FLAVOURS)
  roundabout_mpi_test(mpi_executor openmpi 16 --splits 1)
  roundabout_mpi_test(mpi_executor openmpi 17 --splits 3)
  roundabout_mpi_test(mpi_library openmpi 17 --splits 2)
  roundabout_mpi_test(mpi_exchange openmpi 17 --splits 1)
  roundabout_mpi_test(mpi_rooted openmpi 17 --splits 2)
endif()
# Which MPI libraries are found, under which names.
set(found_mpi "")
foreach(flavour ${ROUNDABOUT_MPI_TEST_FLAVOURS})
  list(APPEND found_mpi ${flavour} ${MPICC_${flavour}} ${MPIRUN_${flavour}})
endforeach()
add_test(NAME find_mpi COMMAND ${CMAKE_CURRENT_LIST_DIR}/find_mpi.sh ${CMAKE_SOURCE_DIR} ${found_mpi})
set_tests_properties(find_mpi PROPERTIES TIMEOUT 300)
