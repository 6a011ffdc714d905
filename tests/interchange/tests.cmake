#Schedules of other programs.
roundabout_test(goal roundabout_verbs)
