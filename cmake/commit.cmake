# Writes OUTPUT: #define ROUNDABOUT_COMMIT "release+commit[-changed]" and ROUNDABOUT_DATE, the commit's
# day, only if one of them changed. Without git the day is that of SOURCE_DATE_EPOCH, or today.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
  OUTPUT_VARIABLE changed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} log -1 --format=%cs
  OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit STREQUAL "")
  set(text "${RELEASE}")
elseif(changed STREQUAL "")
  set(text "${RELEASE}+${commit}")
else()
  set(text "${RELEASE}+${commit}-changed")
endif()
if(date STREQUAL "")
  string(TIMESTAMP date "%Y-%m-%d" UTC)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
  "#define ROUNDABOUT_COMMIT \"${text}\"\n#define ROUNDABOUT_DATE \"${date}\"\n" @ONLY)
