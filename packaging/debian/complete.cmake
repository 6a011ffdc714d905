# Run by CPack when a package's files are in place (CPACK_PRE_BUILD_SCRIPTS): adds what Debian wants in
# every package and compresses man pages. All times are that of the commit, of which `git archive`
# tells cmake/archived-commit, unless SOURCE_DATE_EPOCH is set: the same sources give the same bytes.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  file(STRINGS ${CPACK_ROUNDABOUT_SOURCE}/cmake/archived-commit archived)
  if(archived MATCHES " ([0-9]+)$")
    set(time ${CMAKE_MATCH_1})
  else()
    execute_process(COMMAND git -C ${CPACK_ROUNDABOUT_SOURCE} log -1 --format=%ct
      OUTPUT_VARIABLE time OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT "${time}" STREQUAL "")
    set(ENV{SOURCE_DATE_EPOCH} ${time}) # CPack and string(TIMESTAMP) read it
  endif()
endif()
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(prefix ${CPACK_PACKAGING_INSTALL_PREFIX})
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
find_program(GZIP gzip REQUIRED)
set(readable FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)

foreach(pair ${CPACK_ROUNDABOUT_PACKAGES})
  string(REGEX MATCH "^(.*)=(.*)$" pair ${pair})
  set(package ${CMAKE_MATCH_2})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${CMAKE_MATCH_1}${prefix})
  if(NOT IS_DIRECTORY ${root})
    continue()
  endif()
  set(doc ${root}/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  configure_file(${CPACK_ROUNDABOUT_SOURCE}/packaging/debian/copyright ${doc}/copyright COPYONLY ${readable})
  file(WRITE ${doc}/changelog.Debian
    "roundabout (${version}) unstable; urgency=medium\n\n"
    "  * Packages made by CPack from the release's sources.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  configure_file(${CPACK_ROUNDABOUT_SOURCE}/CHANGELOG.md ${doc}/changelog COPYONLY ${readable})
  set(overrides ${CPACK_ROUNDABOUT_SOURCE}/packaging/debian/${package}.lintian-overrides)
  if(EXISTS ${overrides})
    file(MAKE_DIRECTORY ${root}/share/lintian/overrides)
    configure_file(${overrides} ${root}/share/lintian/overrides/${package} COPYONLY ${readable})
  endif()
  file(GLOB pages ${root}/share/man/man*/*.[0-9])
  foreach(page ${doc}/changelog.Debian ${doc}/changelog ${pages})
    execute_process(COMMAND ${GZIP} -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
