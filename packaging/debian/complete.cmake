# Run by CPack when a package's files are in place (CPACK_PRE_BUILD_SCRIPTS): adds what Debian wants in
# every package and compresses man pages.
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
