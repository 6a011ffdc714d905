# The program's own form: folders, names, worked examples, pages.
add_test(NAME layers COMMAND ${CMAKE_CURRENT_LIST_DIR}/layers.sh ${CMAKE_SOURCE_DIR})
add_test(NAME prefixes COMMAND ${CMAKE_CURRENT_LIST_DIR}/prefixes.sh ${CMAKE_SOURCE_DIR})
add_test(NAME page_tables COMMAND ${CMAKE_CURRENT_LIST_DIR}/page_tables.sh ${CMAKE_SOURCE_DIR})
add_test(NAME version COMMAND ${CMAKE_CURRENT_LIST_DIR}/version.sh ${CMAKE_SOURCE_DIR})
add_test(NAME pipes COMMAND ${CMAKE_CURRENT_LIST_DIR}/pipes.sh ${CMAKE_SOURCE_DIR})
add_test(NAME wrapper COMMAND ${CMAKE_CURRENT_LIST_DIR}/wrapper.sh ${CMAKE_SOURCE_DIR}/roundabout)
# Every command of every page; a page with slow ones has a second test, which runs these, too.
file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md)
foreach(page ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CONTRIBUTING.md ${pages})
  get_filename_component(name ${page} NAME_WE)
  string(REPLACE "-" "_" name ${name})
  if(page STREQUAL "${CMAKE_SOURCE_DIR}/docs/README.md")
    set(name docs)
  endif()
  set(run ${CMAKE_CURRENT_LIST_DIR}/page_commands.sh $<TARGET_FILE:roundabout_cli> ${page})
  add_test(NAME commands_${name} COMMAND ${run})
  set_tests_properties(commands_${name} PROPERTIES
    ENVIRONMENT "PYTHONPATH=${CMAKE_SOURCE_DIR}/python;PYTHONDONTWRITEBYTECODE=1")
  file(STRINGS ${page} slow_commands REGEX "^<!-- slow")
  if(slow_commands)
    add_test(NAME commands_slow_${name} COMMAND ${run} slow)
    set_tests_properties(commands_slow_${name} PROPERTIES PROCESSORS 2 TIMEOUT 1200 LABELS slow)
  endif()
endforeach()
if(ROUNDABOUT_SPHINX) # a link that leads nowhere is an error
  add_test(NAME site COMMAND ${CMAKE_CURRENT_LIST_DIR}/site.sh ${ROUNDABOUT_PYTHON} ${CMAKE_SOURCE_DIR}
    $<TARGET_FILE:roundabout_cli>)
endif()
set(examples_mpirun "")
if(ROUNDABOUT_MPI_TEST_FLAVOURS)
  list(GET ROUNDABOUT_MPI_TEST_FLAVOURS 0 flavour)
  set(examples_mpirun ${MPIRUN_${flavour}} ${mpirun_flags_${flavour}})
endif()
add_test(NAME worked_examples
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/worked_examples.sh ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER}
          ${CMAKE_CXX_COMPILER} ${CMAKE_GENERATOR} ${examples_mpirun})
set_tests_properties(worked_examples PROPERTIES PROCESSORS 2 TIMEOUT 600)
# Everything that is installed, used from another place than it was installed to.
set(installed ${CMAKE_CURRENT_LIST_DIR}/installed.sh ${CMAKE_BINARY_DIR})
foreach(flavour ${ROUNDABOUT_MPI_TEST_FLAVOURS})
  list(APPEND installed ${flavour} ${MPICC_${flavour}} ${MPIRUN_${flavour}})
endforeach()
if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize") # programs that use the libraries are compiled without
  add_test(NAME installed COMMAND ${installed})
  set_tests_properties(installed PROPERTIES PROCESSORS 2 TIMEOUT 600)
endif()

# The Debian packages that CPack makes (packaging/debian/packages.cmake).
find_program(DPKG_DEB dpkg-deb)
mark_as_advanced(DPKG_DEB)
if(DPKG_DEB AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
  add_test(NAME packages COMMAND ${CMAKE_CURRENT_LIST_DIR}/packages.sh ${CMAKE_BINARY_DIR})
elseif(NOT DPKG_DEB)
  message(STATUS "tests: no dpkg-deb, the test of Debian packages left out")
endif()
if(ROUNDABOUT_PYTHON)
  add_test(NAME paper_numbers COMMAND ${ROUNDABOUT_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/paper.py ${CMAKE_SOURCE_DIR})
  add_test(NAME paper_long CONFIGURATIONS long
    COMMAND make -C ${CMAKE_SOURCE_DIR}/examples/paper QUICK=1 ROUNDABOUT=$<TARGET_FILE:roundabout_cli>)
  set_tests_properties(paper_long PROPERTIES PROCESSORS 2 TIMEOUT 3600)
  add_test(NAME artefact_long CONFIGURATIONS long
    COMMAND ${CMAKE_COMMAND} -E env ROUNDABOUT=$<TARGET_FILE:roundabout_cli> ${CMAKE_SOURCE_DIR}/packaging/artefact.sh --smoke)
  set_tests_properties(artefact_long PROPERTIES PROCESSORS 2 TIMEOUT 3600)
endif()
add_test(NAME architecture COMMAND ${CMAKE_SOURCE_DIR}/docs/draw-layers --check ${CMAKE_SOURCE_DIR}/docs/images/folders.svg)
add_test(NAME budgets COMMAND ${CMAKE_CURRENT_LIST_DIR}/budgets.sh ${CMAKE_SOURCE_DIR})
