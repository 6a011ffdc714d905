# Programs and their proofs.
roundabout_test(faults_of_programs roundabout_programs)
