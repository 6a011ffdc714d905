# Options, output, verbs.
roundabout_test(options roundabout_verbs)
roundabout_test(refusals roundabout_verbs)
add_test(NAME outputs COMMAND ${CMAKE_CURRENT_LIST_DIR}/outputs.sh $<TARGET_FILE:roundabout_cli>)
add_test(NAME derived_outputs COMMAND ${CMAKE_CURRENT_LIST_DIR}/derived_outputs.sh $<TARGET_FILE:roundabout_cli>)
if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize") # which reserve more memory than its limit
  add_test(NAME large_requests COMMAND ${CMAKE_CURRENT_LIST_DIR}/large_requests.sh $<TARGET_FILE:roundabout_cli>)
endif()
add_test(NAME long_work_is_foretold COMMAND ${CMAKE_CURRENT_LIST_DIR}/long_work_is_foretold.sh $<TARGET_FILE:roundabout_cli>)
add_test(NAME recommend COMMAND ${CMAKE_CURRENT_LIST_DIR}/recommend.sh $<TARGET_FILE:roundabout_cli>)
add_test(NAME graphs COMMAND ${CMAKE_CURRENT_LIST_DIR}/graphs.sh $<TARGET_FILE:roundabout_cli>)
add_test(NAME time_independent COMMAND ${CMAKE_CURRENT_LIST_DIR}/time_independent.sh
  $<TARGET_FILE:roundabout_cli> ${SMPICC})
add_test(NAME tune_workload COMMAND ${CMAKE_CURRENT_LIST_DIR}/tune_workload.sh $<TARGET_FILE:roundabout_cli>)
add_test(NAME plan_csv COMMAND ${CMAKE_CURRENT_LIST_DIR}/plan_csv.sh
  $<TARGET_FILE:roundabout_cli>)
roundabout_test(table roundabout_options)
roundabout_test(marks_of_our_files roundabout_options)
add_test(NAME completions COMMAND ${CMAKE_CURRENT_LIST_DIR}/completions.sh
  $<TARGET_FILE:roundabout_cli>)
find_program(manual_formatter NAMES mandoc groff)
if(manual_formatter)
  add_test(NAME manual COMMAND ${CMAKE_CURRENT_LIST_DIR}/manual.sh $<TARGET_FILE:roundabout_cli>
    ${CMAKE_BINARY_DIR})
else()
  message(STATUS "Not testing the manual pages: neither mandoc nor groff is installed")
endif()
find_program(script_program script)
if(script_program)
  add_test(NAME tables_fit_terminals COMMAND ${CMAKE_CURRENT_LIST_DIR}/tables_fit_terminals.sh $<TARGET_FILE:roundabout_cli>)
else()
  message(STATUS "Not testing tables on a terminal: script is not installed")
endif()
add_test(NAME doctor COMMAND ${CMAKE_CURRENT_LIST_DIR}/doctor.sh $<TARGET_FILE:roundabout_cli>)
