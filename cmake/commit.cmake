# Writes OUTPUT: #define ROUNDABOUT_COMMIT "release+commit[-changed]" and ROUNDABOUT_DATE, the commit's
# day, only if one of them changed. Sources of a release's tarball have no git, or that of a project
# around them: `git archive` wrote both into the file archived-commit. Without either the day is that
# of SOURCE_DATE_EPOCH, or today.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/archived-commit archived)
if(archived MATCHES "^([0-9a-f]+) ([-0-9]+) [0-9]+$")
  set(date ${CMAKE_MATCH_2})
  string(SUBSTRING ${CMAKE_MATCH_1} 0 12 commit)
else()
  execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git -C ${SOURCE} log -1 --format=%cs
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if("${commit}" STREQUAL "")
  set(text "${RELEASE}")
elseif("${changed}" STREQUAL "")
  set(text "${RELEASE}+${commit}")
else()
  set(text "${RELEASE}+${commit}-changed")
endif()
if("${date}" STREQUAL "")
  string(TIMESTAMP date "%Y-%m-%d" UTC)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
  "#define ROUNDABOUT_COMMIT \"${text}\"\n#define ROUNDABOUT_DATE \"${date}\"\n" @ONLY)
