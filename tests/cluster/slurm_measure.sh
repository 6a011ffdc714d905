#!/usr/bin/env bash
# slurm_measure.sh ROUNDABOUT FLAVOUR MPIRUN - measures in jobs of a real Slurm: started by mpirun on two nodes, and by
# srun; rows say in which job they were measured, and calibrate reads them. What srun cannot start gets one line.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
roundabout=$1 flavour=$2 mpirun=$3
# shellcheck source=tests/cluster/start_slurm.sh
. "$here/start_slurm.sh"
directory=$(mktemp -d)
trap 'stop_slurm; rm -rf "$directory"' EXIT
mkdir "$directory/slurm" "$directory/jobs"
cd "$directory/jobs"

fail() {
    echo "$0: $*" >&2
    exit 1
}

start_slurm "$directory/slurm"
brief=(--least-runs 3 --most-runs 10 --most-time 20ms --precision 20)
# Open MPI's mpirun does not run as root unless it is told so.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# The nodes are one machine with one address, which Open MPI 5 does not use between two hosts.
export OMPI_MCA_btl_tcp_if_include=lo

# A job script, as docs/sweep.md has it.
cat >measure.sbatch <<END
#!/usr/bin/env bash
#SBATCH --nodes=2 --ntasks-per-node=1
$mpirun "$roundabout" measure pairs -m 0,8,1KiB,64KiB ${brief[*]} -o pairs.csv
END
sbatch --wait --parsable --output=log measure.sbatch >id || fail "mpirun in a job: $(cat log)"
columns() {
    "$here/../cli/columns" "$1" pairs.csv | tail -n +2 | sort -u
}
[ "$(columns mpi,ranks,job,partition)" = "$flavour,2,$(cat id),short" ] || fail "rows: $(cat pairs.csv)"
[ "$(columns nodes)" = 'node[1-2]' ] || fail "nodes: $(columns nodes)"
# Status 1: so short a measurement may be too uncertain.
"$roundabout" calibrate pairs.csv -o here >out 2>err || [ $? -eq 1 ] || fail "calibrate: $(cat err)"

# With srun, on one node: Slurm's PMIx keeps files in /tmp that nodes on one machine would share.
case $flavour in
    openmpi*) pmi=pmix ;;
    *) pmi=pmi2 ;;
esac
if srun --mpi=list 2>&1 | grep -w "$pmi" >/dev/null; then
    timeout 60 srun "--mpi=$pmi" --nodes=1 --ntasks=2 "$roundabout" measure pairs -m 8 --tests latency "${brief[@]}" \
        >srun.csv 2>err || fail "srun --mpi=$pmi: $(cat err)"
    [ "$("$here/../cli/columns" mpi,ranks,p,partition srun.csv | tail -n 1)" = "$flavour,2,2,short" ] ||
        fail "srun --mpi=$pmi: $(cat srun.csv)"
fi
status=0
srun --mpi=none --nodes=2 --ntasks=2 "$roundabout" measure pairs >out 2>err || status=$?
[ "$status" -eq 2 ] || fail "srun without MPI: exit status $status"
[ "$(grep -c '^roundabout' err)" -eq 1 ] || fail "srun without MPI: not one line: $(cat err)"
grep -qF 'in a Slurm job, start it with mpirun, with srun --mpi=pmix (Open MPI) or with srun --mpi=pmi2 (MPICH)' err ||
    fail "srun without MPI: $(cat err)"
