# Recommendations; tests/command/recommend.sh tests the verb.
roundabout_test(recommended roundabout_verbs)
roundabout_test(cluster_facts roundabout_verbs)
target_compile_definitions(test_cluster_facts PRIVATE SOURCE_DIRECTORY="${CMAKE_SOURCE_DIR}")
