#!/usr/bin/env bash
# start_slurm.sh - to be sourced: a Slurm of this test's own, with four nodes of two processors, all on this machine.
#
# start_slurm DIRECTORY starts it and sets SLURM_CONF; stop_slurm ends it. The daemons talk over the loopback interface
# and have their keys, sockets and files in DIRECTORY.

slurm_daemons=()

slurm_fails() {
    tail -n 20 "$1"/*.log >&2 || :
    echo "Slurm: $2" >&2
    exit 1
}

# Five free ports in a row, for a moment.
find_ports() {
    local try port
    for try in 1 2 3 4 5 6 7 8; do
        slurm_port=$((20000 + (($$ * 8 + try * 1009) % 12000)))
        for ((port = slurm_port; port < slurm_port + 5; port++)); do
            if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
                continue 2
            fi
        done
        return
    done
}

start_slurm() {
    local directory=$1 user node
    PATH=$PATH:/usr/sbin:/sbin
    user=$(id -un)
    find_ports
    mkdir "$directory/state" "$directory/spool"
    mkdir "$directory/spool/node"{1..4}
    (umask 077 && head -c 128 /dev/urandom >"$directory/munge.key")
    cat >"$directory/slurm.conf" <<END
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$slurm_port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$directory/munge.socket
CredType=cred/munge
StateSaveLocation=$directory/state
SlurmdSpoolDir=$directory/spool/%n
SlurmctldPidFile=$directory/slurmctld.pid
SlurmdPidFile=$directory/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=20
NodeName=node[1-4] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((slurm_port + 1))-$((slurm_port + 4))] Sockets=1 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=8192
PartitionName=short Nodes=node[1-4] Default=YES MaxTime=60 State=UP
END
    # No plugin above uses cgroups, and Slurm need not look for them.
    printf '%s\n' CgroupPlugin=cgroup/v1 CgroupAutomount=no >"$directory/cgroup.conf"
    export SLURM_CONF=$directory/slurm.conf

    munged --foreground --force --socket="$directory/munge.socket" --key-file="$directory/munge.key" \
        --pid-file="$directory/munged.pid" --log-file="$directory/munged.log" --seed-file="$directory/munged.seed" \
        >"$directory/munge.log" 2>&1 &
    slurm_daemons+=($!)
    for ((try = 0; try < 100; try++)); do
        [ ! -S "$directory/munge.socket" ] || break
        sleep 0.05
    done
    slurmctld -D >"$directory/slurmctld.log" 2>&1 &
    slurm_daemons+=($!)
    for node in node{1..4}; do
        slurmd -D -N "$node" >"$directory/$node.log" 2>&1 &
        slurm_daemons+=($!)
    done
    for ((try = 0; try < 300; try++)); do
        if [ "$(sinfo --noheader --Node --states=idle 2>/dev/null | wc -l)" -eq 4 ]; then
            return
        fi
        sleep 0.1
    done
    slurm_fails "$directory" "the nodes are not idle: $(sinfo 2>&1)"
}

# Jobs first: their processes are not the daemons' children.
stop_slurm() {
    local try
    if [ "${#slurm_daemons[@]}" -gt 2 ] && kill -0 "${slurm_daemons[1]}" 2>/dev/null; then
        scancel --user="$(id -un)" 2>/dev/null || :
        for ((try = 0; try < 100; try++)); do
            [ -n "$(squeue --noheader 2>/dev/null)" ] || break
            sleep 0.1
        done
    fi
    [ "${#slurm_daemons[@]}" -eq 0 ] || kill "${slurm_daemons[@]}" 2>/dev/null || :
    for ((try = 0; try < 50; try++)); do
        kill -0 "${slurm_daemons[@]}" 2>/dev/null || break
        sleep 0.1
    done
    [ "${#slurm_daemons[@]}" -eq 0 ] || kill -KILL "${slurm_daemons[@]}" 2>/dev/null || :
    wait
    slurm_daemons=()
}

# Until the queue is empty.
wait_for_jobs() {
    local try queue
    for ((try = 0; try < 600; try++)); do
        queue=$(squeue --noheader) || queue='not known'
        [ -n "$queue" ] || return 0
        sleep 0.1
    done
    echo "jobs are still in the queue: $(squeue)" >&2
    return 1
}
