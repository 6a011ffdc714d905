# Programs and their proofs.
roundabout_test(prove roundabout_programs)
