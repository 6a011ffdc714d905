# What all others use.
roundabout_test(units roundabout_support)
roundabout_test(pool roundabout_support)
