# Writes a CSV file's rows as C initializers: words in quotation marks, numbers as they are. Lines with # are
# comments, the next one has the columns' names.
function(roundabout_table csv output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${csv})
  file(STRINGS ${csv} lines)
  list(FILTER lines EXCLUDE REGEX "^#")
  list(POP_FRONT lines)
  list(JOIN lines "\"},\n{\"" text)
  string(REPLACE "," "\",\"" text "{\"${text}\"}")
  string(REPLACE "}\",\"" "}," text "${text}")
  string(REGEX REPLACE "\"(-?[0-9.]+)\"" "\\1" text "${text}")
  file(GENERATE OUTPUT ${output} CONTENT "${text}\n")
endfunction()
