# cmake -DPROGRAM=PROGRAM -DDIRECTORY=DIRECTORY [-DPYTHONS=NAME;...] -P run.cmake: docs/site/build by the first Python that
# has what it needs.
if(NOT PYTHONS)
  set(PYTHONS /usr/bin/python3 python3) # Debian's has Debian's packages
endif()
foreach(python IN LISTS PYTHONS)
  execute_process(COMMAND ${python} -c "import sphinx, myst_parser" RESULT_VARIABLE lacking OUTPUT_QUIET ERROR_QUIET)
  if(lacking EQUAL 0)
    execute_process(COMMAND ${python} ${CMAKE_CURRENT_LIST_DIR}/build ${PROGRAM} ${DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
    return()
  endif()
endforeach()
message(FATAL_ERROR " The site needs Sphinx and MyST: apt-get install python3-sphinx python3-myst-parser")
