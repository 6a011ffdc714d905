# Diagnosis, pictures and traces, exports, checks of papers, doctor.
roundabout_test(diagnosis roundabout_sim)
roundabout_test(diagram roundabout_verbs PkgConfig::JANSSON)
roundabout_test(contention_picture roundabout_verbs PkgConfig::JANSSON)
roundabout_test(trace roundabout_verbs PkgConfig::JANSSON)
roundabout_test(export roundabout_verbs)
roundabout_test(formulas roundabout_verbs -Wl,--wrap=sim_run)
roundabout_test(table_3 roundabout_verbs)
add_test(NAME doctor COMMAND ${CMAKE_CURRENT_LIST_DIR}/doctor.sh $<TARGET_FILE:roundabout_cli>)
