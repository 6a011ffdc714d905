# Debian packages made by CPack from the install() components: `cmake --preset deb`, `cmake --build
# --preset deb`, `cpack --preset deb`. packaging/check.sh does this in a fresh Debian and tries them.
#
# | package | components |
# | --- | --- |
# | roundabout | program |
# | roundabout-openmpi, roundabout-mpich | measure-openmpi, measure-mpich |
# | libroundabout2 | core |
# | libroundabout-mpi-openmpi2, libroundabout-mpi-mpich2 | mpi-openmpi, mpi-mpich |
# | libroundabout-dev | core-dev, mpi-dev |
# | roundabout-doc | doc |
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME roundabout)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The Roundabout developers")
set(ROUNDABOUT_MAINTAINER "The Roundabout developers <roundabout@example.org>" CACHE STRING
  "Who maintains the Debian packages")
set(CPACK_PACKAGE_CONTACT ${ROUNDABOUT_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)

# A package of a newer Debian is newer: 2.0.0-1~deb12, 2.0.0-1~deb13.
set(release 1)
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release debian REGEX "^VERSION_ID=")
  string(REGEX REPLACE "^VERSION_ID=\"?([0-9.]*)\"?$" "\\1" debian "${debian}")
  if(debian)
    string(APPEND release "~deb${debian}")
  endif()
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE ${release})
set(own "= ${PROJECT_VERSION}-${release}")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/schedules
  ${CMAKE_BINARY_DIR}/redistribution ${CMAKE_BINARY_DIR}/mpi)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The changelog, the copyright and lintian's overrides of each package, and compressed man pages.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/complete.cmake)
set(CPACK_ROUNDABOUT_SOURCE ${CMAKE_SOURCE_DIR})

# A group is a package: package(GROUP NAME SECTION SYNOPSIS DESCRIPTION COMPONENT...).
set(CPACK_COMPONENTS_ALL "")
set(CPACK_ROUNDABOUT_PACKAGES "")
macro(package group name section synopsis description)
  string(TOUPPER ${group} upper)
  list(APPEND CPACK_ROUNDABOUT_PACKAGES ${group}=${name})
  set(CPACK_COMPONENT_GROUP_${upper}_DISPLAY_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${synopsis}\n${description}")
  foreach(component ${ARGN})
    list(APPEND CPACK_COMPONENTS_ALL ${component})
    string(TOUPPER ${component} component)
    set(CPACK_COMPONENT_${component}_GROUP ${group})
  endforeach()
endmacro()

package(tool roundabout science "pipelined collectives: plans, proofs, simulations and figures"
  "Roundabout plans, proves, simulates, tunes and plots pipelined collectives
of MPI programs. A plan says which block every rank sends to which rank in
every round. The program verifies plans for every number of ranks, simulates
them on fat-trees, dragonflies and tori, finds the best number of blocks, and
draws figures for papers."
  program)
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "gnuplot-nox | gnuplot, fonts-dejavu-core")
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "roundabout-doc, libroundabout-dev, roundabout-openmpi | roundabout-mpich")

package(core libroundabout${PROJECT_VERSION_MAJOR} libs "schedules of pipelined collectives (libraries)"
  "Plans of broadcasts, reductions, all-to-alls and other collectives, their
verifier, and block-cyclic redistribution. The libraries need the C library
only."
  core)
set(CPACK_DEBIAN_CORE_PACKAGE_MULTIARCH same)
set(CPACK_DEBIAN_CORE_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)

package(dev libroundabout-dev libdevel "schedules of pipelined collectives (development files)"
  "Headers, static libraries, and files for pkg-config and CMake of the libraries
for plans, redistribution, and collectives on Open MPI and MPICH."
  core-dev mpi-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libroundabout${PROJECT_VERSION_MAJOR} (${own})")
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)

set(mpi_openmpi "Open MPI")
set(mpi_mpich MPICH)
foreach(flavour ${ROUNDABOUT_MPI_FLAVOURS})
  if(NOT DEFINED mpi_${flavour}) # Debian has none other
    continue()
  endif()
  package(${flavour} libroundabout-mpi-${flavour}${PROJECT_VERSION_MAJOR} libs "pipelined collectives on ${mpi_${flavour}}"
    "Collectives with MPI's signatures that run by Roundabout's plans, and a
library that puts them under an unmodified program by LD_PRELOAD.
This package is for ${mpi_${flavour}}."
    mpi-${flavour})
  string(TOUPPER ${flavour} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_MULTIARCH same)
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)
  package(measure_${flavour} roundabout-${flavour} science
    "pipelined collectives: measurements with ${mpi_${flavour}}"
    "The job that `roundabout measure` runs under ${mpi_${flavour}}'s mpirun: it times
messages and collectives on the real machine."
    measure-${flavour}) # sets upper
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "roundabout (${own})")
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libroundabout-mpi-${flavour}${PROJECT_VERSION_MAJOR} (${own})")
endforeach()

package(docs roundabout-doc doc "pipelined collectives (documentation)"
  "The pages of Roundabout's documentation: a tutorial, how-to pages, the
reference, and explanations."
  doc)
set(CPACK_DEBIAN_DOCS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCS_PACKAGE_SHLIBDEPS OFF)
include(CPack)
