#!/usr/bin/env bash
# mpi_interfaces.sh NEAR MPIRUN PRELOAD PROGRAM - network interfaces that hwloc finds, on made-up machines of two
# processors: which are near to a process that is bound (NEAR prints them), and that rules take plans on rails where
# each rank has one. MPIRUN is one word with its options. Status 77: this process may not use processors 0 and 1.
set -euo pipefail
near=$1
read -ra mpirun <<< "$2"
preload=$3
program=$4
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
for processor in 0 1; do
    taskset -c $processor true 2> /dev/null || exit 77
done
export HWLOC_THISSYSTEM=1 # so that hwloc asks what this process is bound to
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

fail() {
    echo "$*"
    cat report.txt 2> /dev/null || true
    exit 1
}
id=0
# object TYPE ATTRIBUTES: the opening tag.
object() {
    echo "<object type=\"$1\" gp_index=\"$((++id))\" $2>"
}
# processors MASK: the attributes of an object that has them.
processors() {
    echo "cpuset=\"$1\" complete_cpuset=\"$1\" nodeset=\"$1\" complete_nodeset=\"$1\""
}
# card BUS NAME:KIND...: a card with these devices; KIND is hwloc's number of an OS device's type.
card() {
    local bus=$1
    object PCIDev "pci_busid=\"0000:$bus:00.0\" pci_type=\"0207 [15b3:1017] [15b3:0000] 00\" pci_link_speed=\"0\""
    for device in "${@:2}"; do
        object OSDev "name=\"${device%:*}\" osdev_type=\"${device#*:}\""
        echo "</object>"
    done
    echo "</object>"
}
# machine FILE CARDS0 CARDS1: two packages of a processor each; a card is a word of its devices, "ib0:2,mlx5_0:3".
machine() {
    local file=$1 bus=1 package cards
    shift
    {
        echo '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0">'
        object Machine "os_index=\"0\" $(processors 0x3) allowed_cpuset=\"0x3\" allowed_nodeset=\"0x3\""
        for package in 0 1; do
            object Package "os_index=\"$package\" $(processors 0x$((package + 1)))"
            object NUMANode "os_index=\"$package\" $(processors 0x$((package + 1))) local_memory=\"1073741824\""
            echo "</object>"
            object PU "os_index=\"$package\" $(processors 0x$((package + 1)))"
            echo "</object>"
            read -ra cards <<< "$1"
            shift
            object Bridge "bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[0$bus-0$((bus + 3))]\""
            for devices in "${cards[@]}"; do
                IFS=, read -ra devices <<< "$devices"
                card 0$bus "${devices[@]}"
                bus=$((bus + 1))
            done
            echo "</object></object>"
        done
        echo "</object></topology>"
    } > "$file"
}
# finds FILE PROCESSORS "FIRST NEAR"
finds() {
    local found
    found=$(HWLOC_XMLFILE=$1 taskset -c "$2" "$near") || fail "$1 on $2: status $?"
    test "$found" = "$3" || fail "$1 on $2: '$found', not '$3'"
}

machine two.xml ib0:2,mlx5_0:3,umad0:3 ib1:2,mlx5_1:3
finds two.xml 0 "0 1"
finds two.xml 1 "1 1"
finds two.xml 0,1 "0 0" # not bound
machine four.xml "mlx5_0:3 mlx5_1:3" "eth0:2 mlx5_2:3 mlx5_3:3" # an Ethernet beside InfiniBand does not count
finds four.xml 0 "0 2"
finds four.xml 1 "2 2"
machine far.xml "" "mlx5_0:3 mlx5_1:3" # the other package's
finds far.xml 0 "0 2"
finds far.xml 1 "0 2"
machine ethernet.xml "eth0:2" "eth1:2 sda:0"
finds ethernet.xml 1 "1 1"
machine none.xml sda:0 ""
finds none.xml 1 "0 0"
echo "<topology" > broken.xml
for file in broken.xml missing.xml; do # hwloc then looks at this machine
    HWLOC_XMLFILE=$file taskset -c 0 "$near" > /dev/null 2>&1 || fail "$file: status $?"
done

# Four ranks on two pretended hosts, the second of each bound to the second processor.
cat > bound << 'END'
#!/usr/bin/env bash
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
exec taskset -c $((rank % 2)) "$@"
END
chmod +x bound
run() {
    "${mpirun[@]}" -n 4 ./bound env RB_ONLINE=off RB_HOSTS=2 RB_REPORT=report.txt "$@" LD_PRELOAD="$preload" "$program" \
        --times 3 || fail "$*: status $?"
}
says() {
    head -n 1 report.txt | grep -F ", network interfaces of a host: $1; " >/dev/null || fail "not $1"
}
run RB_RAILS=hwloc HWLOC_XMLFILE="$PWD/two.xml"
says "2 by hwloc"
grep -Eq '^bcast +4 +8B\.\. +spread ' report.txt || fail "two interfaces: no plan on rails"
run RB_RAILS=hwloc HWLOC_XMLFILE="$PWD/none.xml"
says "not known"
grep -Eq '^bcast +4 +8B\.\. +fan ' report.txt || fail "no interface: no plan by hosts"
run HWLOC_XMLFILE="$PWD/two.xml" # pretended hosts have no interfaces
says "not known"
