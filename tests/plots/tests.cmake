# Figures.
roundabout_test(plot roundabout_verbs PkgConfig::JANSSON)
roundabout_test(hostile_names roundabout_verbs)
add_test(NAME bruck_figures COMMAND ${CMAKE_CURRENT_LIST_DIR}/bruck_figures.sh
  $<TARGET_FILE:roundabout_cli> ${CMAKE_SOURCE_DIR}/experiments/bruck-figures.yaml)
