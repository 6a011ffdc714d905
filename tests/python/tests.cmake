# The Python package; docs/CMakeLists.txt has found ROUNDABOUT_PYTHON.
set(python_is_new_enough FALSE)
if(ROUNDABOUT_PYTHON)
  execute_process(COMMAND ${ROUNDABOUT_PYTHON} -c "import sys; sys.exit(sys.version_info < (3, 9))"
    RESULT_VARIABLE python_is_old OUTPUT_QUIET ERROR_QUIET)
  if(python_is_old EQUAL 0)
    set(python_is_new_enough TRUE)
  endif()
endif()

if(NOT python_is_new_enough)
  message(STATUS "No Python 3.9 or later: the tests of python/ are left out")
elseif(CMAKE_C_FLAGS MATCHES "-fsanitize") # such a library cannot be loaded into Python
  message(STATUS "Sanitizers: the tests of python/ are left out")
else()
  set(python_tests python_program python_core python_install page_python)
  foreach(name program core)
    add_test(NAME python_${name} COMMAND ${ROUNDABOUT_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
  endforeach()
  add_test(NAME python_install COMMAND ${CMAKE_CURRENT_LIST_DIR}/install.sh ${ROUNDABOUT_PYTHON}
    ${CMAKE_SOURCE_DIR})
  set_tests_properties(python_install PROPERTIES SKIP_RETURN_CODE 77)
  add_test(NAME page_python COMMAND ${ROUNDABOUT_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/page.py
    ${CMAKE_SOURCE_DIR}/docs/python.md)
  find_program(ROUNDABOUT_RSCRIPT Rscript)
  mark_as_advanced(ROUNDABOUT_RSCRIPT)
  if(ROUNDABOUT_RSCRIPT)
    add_test(NAME page_r COMMAND ${ROUNDABOUT_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/page.py
      ${CMAKE_SOURCE_DIR}/docs/python.md ${ROUNDABOUT_RSCRIPT})
    list(APPEND python_tests page_r)
  else()
    message(STATUS "No Rscript: the examples in R of docs/python.md are not tested")
  endif()
  set(library $<TARGET_FILE_DIR:roundabout_shared>/$<TARGET_SONAME_FILE_NAME:roundabout_shared>)
  set_tests_properties(${python_tests} PROPERTIES LABELS python ENVIRONMENT
    "ROUNDABOUT=$<TARGET_FILE:roundabout_cli>;ROUNDABOUT_LIBRARY=${library};ROUNDABOUT_SOURCE=${CMAKE_SOURCE_DIR};PYTHONPATH=${CMAKE_SOURCE_DIR}/python;PYTHONDONTWRITEBYTECODE=1;CC=${CMAKE_C_COMPILER}")
endif()
