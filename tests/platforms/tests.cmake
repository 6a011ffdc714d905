# Generators, networks, XML.
roundabout_test(platforms roundabout_verbs PkgConfig::JANSSON)
target_compile_definitions(test_platforms PRIVATE ROUNDABOUT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
roundabout_test(topologies roundabout_sim)
roundabout_test(networks roundabout_sim)
roundabout_test(topology roundabout_platforms)
roundabout_test(capacity roundabout_platforms)
roundabout_test(machines roundabout_sim)
target_compile_definitions(test_machines PRIVATE ROUNDABOUT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
