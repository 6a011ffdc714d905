# What all others use.
roundabout_test(units roundabout_support)
roundabout_test(counts roundabout_support)
roundabout_test(pool roundabout_support)
roundabout_test(shell roundabout_support)
roundabout_test(time_left roundabout_support)
if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize") # they have an allocator of their own
  roundabout_test(program_without_memory roundabout_support)
endif()
roundabout_test(attended_work roundabout_support)
roundabout_test(data_files roundabout_support)
target_compile_definitions(test_data_files PRIVATE ROUNDABOUT_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
  ${ROUNDABOUT_INSTALLED_FOLDERS})
