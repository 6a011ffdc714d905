# Programs and their proofs.
roundabout_test(faults_of_programs roundabout_programs)
roundabout_test(programs_without_memory roundabout_interchange ${without_memory})
target_compile_definitions(test_programs_without_memory PRIVATE SEEDS="${CMAKE_SOURCE_DIR}/tests/fuzz/seeds/msccl/")
