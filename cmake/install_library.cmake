# Installs the libraries for other programs, with a CMake package and pkg-config files that find
# everything from their own place, so that the installed tree can be moved.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/roundabout)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_to_lib ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH prefix_to_include ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(RELATIVE_PATH pkgconfig_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})

# roundabout_install_library(COMPONENT STATIC TARGET SHARED TARGET OUTPUT NAME RUNTIME COMPONENT
#   DEVELOPMENT COMPONENT HEADER FILE PKGCONFIG TEMPLATE)
# COMPONENT: of the CMake package; its targets are roundabout::COMPONENT (shared) and
# roundabout::COMPONENT-static. OUTPUT: the library's and the pkg-config file's name. RUNTIME and
# DEVELOPMENT: the components of the installation, which packages are made of.
function(roundabout_install_library component)
  cmake_parse_arguments(PARSE_ARGV 1 "" "" "STATIC;SHARED;OUTPUT;RUNTIME;DEVELOPMENT;HEADER;PKGCONFIG" "")
  set(OUTPUT ${_OUTPUT})
  set_target_properties(${_STATIC} PROPERTIES OUTPUT_NAME ${OUTPUT} EXPORT_NAME ${component}-static)
  set_target_properties(${_SHARED} PROPERTIES OUTPUT_NAME ${OUTPUT} EXPORT_NAME ${component}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  foreach(library ${_STATIC} ${_SHARED})
    target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
  add_dependencies(roundabout_installed ${_STATIC} ${_SHARED})
  install(TARGETS ${_STATIC} ${_SHARED} EXPORT roundabout-${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${_DEVELOPMENT}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${_RUNTIME}
      NAMELINK_COMPONENT ${_DEVELOPMENT})
  install(FILES ${_HEADER} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${_DEVELOPMENT})
  install(EXPORT roundabout-${component} NAMESPACE roundabout:: DESTINATION ${package_dir}
    FILE roundabout-${component}-targets.cmake COMPONENT ${_DEVELOPMENT})
  configure_file(${_PKGCONFIG} ${OUTPUT}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${OUTPUT}.pc DESTINATION ${pkgconfig_dir}
    COMPONENT ${_DEVELOPMENT})
endfunction()

write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/roundaboutConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/roundaboutConfig.cmake
  ${CMAKE_BINARY_DIR}/package/roundaboutConfigVersion.cmake DESTINATION ${package_dir}
  COMPONENT core-dev)
