# Paths, machines fitted to measured rows, predictions.
roundabout_test(machine roundabout_verbs)
roundabout_test(predict roundabout_verbs -Wl,--wrap=predict_fit -Wl,--wrap=predict_time)
roundabout_test(gpu roundabout_verbs)
target_compile_definitions(test_gpu PRIVATE SOURCE_DIRECTORY="${CMAKE_SOURCE_DIR}")
