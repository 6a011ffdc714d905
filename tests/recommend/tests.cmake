# Recommendations; tests/command/recommend.sh tests the verb.
roundabout_test(recommended roundabout_verbs)
