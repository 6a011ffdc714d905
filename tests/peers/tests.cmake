# Faults of other programs (docs/peers.md), shown by programs that need nothing of ours.
set(peers ${CMAKE_CURRENT_LIST_DIR}/peers.sh $<TARGET_FILE:roundabout_cli> ${CMAKE_SOURCE_DIR} ${CMAKE_CXX_COMPILER})
if(mpich IN_LIST ROUNDABOUT_MPI_TEST_FLAVOURS)
  list(APPEND peers ${MPICC_mpich} ${MPIRUN_mpich})
endif()
add_test(NAME peers COMMAND ${peers})
