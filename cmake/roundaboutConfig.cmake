# find_package(roundabout [COMPONENTS core redistribution mpi-openmpi mpi-mpich]): each component NAME gives
# the targets roundabout::NAME, shared, and roundabout::NAME-static. Without COMPONENTS: core and
# redistribution. The MPI library itself comes from its compiler wrapper or from MPI::MPI_C.
if(NOT roundabout_FIND_COMPONENTS)
  set(roundabout_FIND_COMPONENTS core redistribution)
  set(roundabout_FIND_REQUIRED_core TRUE)
  set(roundabout_FIND_REQUIRED_redistribution TRUE)
endif()
# The core comes first, because the others need its targets.
include(${CMAKE_CURRENT_LIST_DIR}/roundabout-core-targets.cmake)
foreach(roundabout_component IN LISTS roundabout_FIND_COMPONENTS)
  set(roundabout_targets ${CMAKE_CURRENT_LIST_DIR}/roundabout-${roundabout_component}-targets.cmake)
  if(EXISTS ${roundabout_targets})
    include(${roundabout_targets})
    set(roundabout_${roundabout_component}_FOUND TRUE)
  else()
    set(roundabout_${roundabout_component}_FOUND FALSE)
    if(roundabout_FIND_REQUIRED_${roundabout_component})
      set(roundabout_FOUND FALSE)
      set(roundabout_NOT_FOUND_MESSAGE "roundabout was installed without the component \
${roundabout_component}; core, redistribution, mpi-openmpi and mpi-mpich are its components")
    endif()
  endif()
endforeach()
