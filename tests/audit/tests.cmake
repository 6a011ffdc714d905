# Audits of choices.
roundabout_test(audit roundabout_verbs)
