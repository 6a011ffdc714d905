# Writes OUTPUT: #define ROUNDABOUT_COMMIT "release+commit[-dirty]", only if it changed.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
  OUTPUT_VARIABLE changed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit STREQUAL "")
  set(text "${RELEASE}")
elseif(changed STREQUAL "")
  set(text "${RELEASE}+${commit}")
else()
  set(text "${RELEASE}+${commit}-changed")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define ROUNDABOUT_COMMIT \"${text}\"\n" @ONLY)
