# Audits of choices.
roundabout_test(audit roundabout_verbs)
roundabout_test(judged roundabout_verbs)
