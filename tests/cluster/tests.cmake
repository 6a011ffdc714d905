# Shards on a cluster. The scripts run everywhere; with Slurm's daemons and with GNU parallel only where these are.
add_test(NAME slurm_scripts COMMAND ${CMAKE_CURRENT_LIST_DIR}/slurm_scripts.sh
  $<TARGET_FILE:roundabout_cli>)
set_tests_properties(slurm_scripts PROPERTIES TIMEOUT 120)

foreach(name munged slurmctld slurmd sbatch)
  find_program(ROUNDABOUT_${name} ${name} PATHS /usr/sbin /sbin)
  mark_as_advanced(ROUNDABOUT_${name})
endforeach()
if(ROUNDABOUT_munged AND ROUNDABOUT_slurmctld AND ROUNDABOUT_slurmd AND ROUNDABOUT_sbatch)
  add_test(NAME slurm_sweep COMMAND ${CMAKE_CURRENT_LIST_DIR}/slurm_sweep.sh
    $<TARGET_FILE:roundabout_cli>)
  set_tests_properties(slurm_sweep PROPERTIES TIMEOUT 180 RESOURCE_LOCK slurm)
  foreach(flavour ${ROUNDABOUT_MPI_TEST_FLAVOURS})
    add_test(NAME slurm_measure_${flavour} COMMAND ${CMAKE_CURRENT_LIST_DIR}/slurm_measure.sh
      $<TARGET_FILE:roundabout_cli> ${flavour} ${MPIRUN_${flavour}})
    set_tests_properties(slurm_measure_${flavour} PROPERTIES LABELS mpi TIMEOUT 180
      RESOURCE_LOCK slurm)
  endforeach()
else()
  message(STATUS "Slurm: not found, so sweeps and measurements in its jobs are not tested (Debian: slurm-wlm, munge)")
endif()
