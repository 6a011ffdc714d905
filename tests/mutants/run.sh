#!/bin/bash
# Injects the faults of mutants.txt, one at a time, into a copy of the sources, and says which test sees
# each. A survivor must be listed with a reason, and at least 95 of 100 must be killed; docs/testing.md.
#
# usage: run.sh [--check | --list] [--jobs N] [--random N] [--seed S] [--keep DIR] [PATTERN...]
#
#   --check     only: check that each mutant still applies to the sources, exactly once
#   --list      only: print the names, files and killers of the mutants
#   --jobs N    so many at once, each in a copy of its own (default 2)
#   --random N  instead of the list: N operator mutants chosen at random from the files that it concerns, for
#               an unbiased rate; no rate is asked for then
#   --seed S    of these (default 1)
#   --keep DIR  work there, and leave it: what was built before is used again
#   PATTERN     only mutants whose name or file matches one of these (shell patterns)
#
# Exit status: 0; 1 fewer than 95 of 100 killed, or a survivor without a reason; 2 a mutant that does not
# apply, or a wrong option; 3 the copy could not be built, or a test fails without any mutant.
set -u
shopt -s extglob
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
list=$here/mutants.txt
mode=run jobs=2 random=0 seed=1 keep='' patterns=()
least=95 # of 100

complain() { echo "run.sh: $*" >&2; }

while [ $# -gt 0 ]; do
  case $1 in
    --check) mode=check ;;
    --list) mode=list ;;
    --jobs | --random | --seed | --keep)
      [ $# -gt 1 ] || { complain "$1 needs a value"; exit 2; }
      case $1 in
        --keep) keep=$2 ;;
        *)
          [[ $2 =~ ^[0-9]{1,6}$ ]] || { complain "$1: '$2' is no whole number"; exit 2; }
          case $1 in --jobs) jobs=$2 ;; --random) random=$2 ;; --seed) seed=$2 ;; esac
          ;;
      esac
      shift
      ;;
    -*) complain "there is no option $1: see the first lines of $0"; exit 2 ;;
    *) patterns+=("$1") ;;
  esac
  shift
done
[ "$jobs" -ge 1 ] || { complain "--jobs: at least 1"; exit 2; }

# ---- The list --------------------------------------------------------------------------------------
#
# names[i], files[i], says[i], old[i], new[i] (texts, perhaps of several lines), kills[i] (killers, one per
# line, in rising order of cost), reasons[i] (why it survives, or nothing).
names=() files=() says=() old=() new=() kills=() reasons=()

# Verifies what an algorithm's file describes, or all that a family's file does: a line for each name.
verify_described() { # file
  awk -F '"' '
    /\.collective = "/ { collective = $2 }
    /\.name = "/ {
      if (!($2 in of)) names[++count] = $2
      of[$2] = of[$2] (of[$2] == "" ? "" : ",") collective
    }
    END { for (i = 1; i <= count; i++) print "verify --collective " of[names[i]] " --algorithm " names[i] }
  ' "$root/$1"
}

# Killers of a file whose mutants name none of their own: what concerns it, cheapest first.
killers_of() {
  case $1 in
    schedules/redistribution/*)
      printf '%s\n' 'test redistribution' 'test redistribution_methods' 'test redistribution_plans' \
        'test timetables_without_cuts' 'verify --collective redistribute --algorithm all' ;;
    schedules/algorithms/*)
      verify_described "$1"
      printf '%s\n' 'test every_plan_is_right' 'test bruck' 'test textbook' 'test stated_rounds' ;;
    schedules/patterns/chain.*) printf '%s\n' 'verify --collective all --algorithm chain' 'test every_plan_is_right' \
        'test stated_rounds' ;;
    schedules/patterns/tree.* | schedules/patterns/binary.*)
      printf '%s\n' 'verify --collective bcast,reduce --algorithm binary' 'test every_plan_is_right' 'test stated_rounds' ;;
    schedules/patterns/grid*)
      printf '%s\n' 'verify --collective all --algorithm mesh' 'verify --collective all --algorithm ring' \
        'verify --collective all --algorithm hypercube' 'verify --collective allreduce' 'test textbook' \
        'test every_plan_is_right' 'test stated_rounds' ;;
    schedules/patterns/streams.*) printf '%s\n' 'test groups' ;;
    schedules/patterns/folded.*)
      printf '%s\n' 'verify --collective allreduce,reduce --algorithm rabenseifner' \
        'verify --collective allgather,allreduce --algorithm recursive-doubling' \
        'verify --algorithm scatter-doubling' 'test every_plan_is_right' 'test stated_rounds' ;;
    schedules/circulant/* | schedules/verify/verify_schedule*)
      printf '%s\n' 'test schedules' 'test schedule_table' 'test schedule_faults' \
        'verify --algorithm circulant' ;;
    schedules/plan/round_check.c) printf '%s\n' 'test round_rules' 'test verifier' 'test every_plan_is_right' ;;
    schedules/verify/*) printf '%s\n' 'test verifier' 'test every_plan_is_right' ;;
    schedules/dependences/window.c) printf '%s\n' 'test mpi_window' 'test goal_takes_the_same_time' 'mpi mpi_executor_openmpi_9' ;;
    schedules/dependences/*)
      printf '%s\n' 'test dependences' 'test replay_in_any_order' 'test mpi_window' 'test model_agrees_with_simgrid' 'test simgrid_takes_times_by_hand' ;;
    schedules/patterns/concatenation.* | schedules/collectives/* | schedules/plan/bounds.c)
      printf '%s\n' 'test every_plan_is_right' 'test bruck' 'test textbook' 'test verifier' 'test stated_rounds' ;;
    schedules/*) printf '%s\n' 'test every_plan_is_right' 'test verifier' 'verify --collective all --algorithm ring' ;;
    sim/model/*)
      printf '%s\n' 'test model_agrees_with_simgrid' 'test model_of_machines' 'test dependences' 'test observer' 'test simgrid_takes_times_by_hand' ;;
    sim/flow/shares.c) printf '%s\n' 'test flow_shares' 'test flow' ;;
    plots/run/*) printf '%s\n' 'test contention_picture' 'test diagram' 'test trace' 'test network_map' ;;
    sim/*)
      printf '%s\n' 'test contention' 'test replay_in_any_order' 'test dependences' 'test topologies' \
        'test diagnosis' 'test observer' 'cli simulate' 'test simgrid_takes_times_by_hand' 'test simgrid_takes_closed_forms' ;;
    mpi/choice/choice.c) printf '%s\n' 'test mpi_choice' 'test mpi_decisions' ;;
    mpi/executor/script.c)
      printf '%s\n' 'test mpi_script' 'test simulated_mpi' 'mpi mpi_rooted_mpich_6' 'mpi mpi_library_mpich_6'
      ;;
    mpi/executor/*)
      printf '%s\n' 'test simulated_mpi' 'mpi mpi_executor_openmpi_9' 'mpi mpi_executor_split_openmpi_5' \
        'mpi mpi_library_openmpi_6' 'mpi mpi_exchange_openmpi_6' 'mpi mpi_rooted_openmpi_6' ;;
    mpi/library/hosts.c)
      printf '%s\n' 'mpi mpi_host_order_openmpi_1' 'mpi mpi_hosts_openmpi_7' ;;
    mpi/library/plan_cache.c) printf '%s\n' 'test mpi_plan_cache' ;;
    mpi/choice/decisions.c) printf '%s\n' 'test mpi_decisions' ;;
    mpi/library/combine.c | mpi/library/move.c | mpi/library/exchange.c | mpi/library/rooted.c | mpi/library/call.c)
      printf '%s\n' 'mpi mpi_library_openmpi_6' 'mpi mpi_exchange_openmpi_6' 'mpi mpi_rooted_openmpi_6' ;;
    mpi/*)
      printf '%s\n' 'mpi mpi_executor_openmpi_9' 'mpi mpi_executor_split_openmpi_5' \
        'mpi mpi_library_openmpi_6' 'mpi mpi_exchange_openmpi_6' 'mpi mpi_rooted_openmpi_6' ;;
  esac
}

# Adds the stanza read so far, if it is asked for.
finish() {
  local pattern wanted=$((${#patterns[@]} == 0))
  [ -n "$name" ] || return 0
  for pattern in ${patterns+"${patterns[@]}"}; do
    # shellcheck disable=SC2254 # a pattern
    case $name in $pattern) wanted=1 ;; esac
    # shellcheck disable=SC2254
    case $file in $pattern) wanted=1 ;; esac
  done
  [ "$wanted" = 1 ] || return 0
  [ -n "$kill" ] || kill=$(killers_of "$file")$'\n'
  names+=("$name") files+=("$file") says+=("$say") old+=("${was%$'\n'}") new+=("${is%$'\n'}")
  kills+=("$kill") reasons+=("$reason")
}

read_list() {
  local line name='' file='' say='' was='' is='' kill='' reason='' number=0
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    case $line in
      '' | '#'*) ;;
      '['*']')
        finish
        name=${line#[} name=${name%]} file='' say='' was='' is='' kill='' reason='' ;;
      'file '*) file=${line#file } ;;
      'says '*) say=${line#says } ;;
      '-'*) line=${line#-} was+=${line# }$'\n' ;;
      '+'*) line=${line#+} is+=${line# }$'\n' ;;
      'test '* | 'verify '* | 'mpi '* | 'cli '*) kill+=$line$'\n' ;;
      'survives '*) reason=${line#survives } ;;
      *) complain "mutants.txt:$number: '$line' is no line of a mutant"; exit 2 ;;
    esac
  done <"$list"
  finish
}

# The text of a file, its last line's end kept.
slurp() { # file, variable
  local slurped
  slurped=$(cat "$1" && printf x)
  printf -v "$2" '%s' "${slurped%x}"
}

# How often $2 stands in $1.
occurrences() {
  local without=${1//"$2"/}
  echo $(((${#1} - ${#without}) / ${#2}))
}

check_list() {
  local i text='' count stale=0 seen=' '
  for i in "${!names[@]}"; do
    case $seen in *" ${names[i]} "*) complain "${names[i]}: there are two of this name"; stale=1 ;; esac
    seen+="${names[i]} "
    if [ -z "${old[i]}" ] || [ "${old[i]}" = "${new[i]}" ] || [ -z "${says[i]}" ] || [ -z "${kills[i]%$'\n'}" ]; then
      complain "${names[i]}: it needs file, says, - and + lines that differ, and killers"
      stale=1
      continue
    fi
    [ -f "$root/${files[i]}" ] || { complain "${names[i]}: there is no ${files[i]}"; stale=1; continue; }
    slurp "$root/${files[i]}" text
    count=$(occurrences "$text" "${old[i]}")
    if [ "$count" != 1 ]; then
      complain "${names[i]}: stale: its - lines stand $count times in ${files[i]}, not once"
      stale=1
    fi
  done
  return "$stale"
}

# Instead of the list: operators exchanged, at places chosen by the seed, outside comments and strings.
make_random() {
  local concerned file line number before after i=0
  concerned=$(printf '%s\n' "${files[@]}" | sort -u)
  names=() files=() says=() old=() new=() kills=() reasons=()
  while IFS=: read -r file number before after; do
    i=$((i + 1))
    line=$(sed -n "${number}p" "$root/$file")
    names+=("random-$i") files+=("$file") says+=("line $number: $before becomes $after")
    old+=("$number") new+=("${line/"$before"/"$after"}")
    kills+=("$(killers_of "$file")"$'\n') reasons+=('')
  done < <(
    for file in $concerned; do
      awk -v file="$file" '
        /^ ?\*/ || /^\/\*/ || /^#/ || /^static const|^ *\.(title|paper|blocks)/ { next }
        { line = $0; sub(/\/\*.*/, "", line); gsub(/"[^"]*"/, "", line); gsub(/->/, "", line) }
        index(line, " <= ") { print file ":" FNR ": <= : < " }
        index(line, " < ") { print file ":" FNR ": < : <= " }
        index(line, " >= ") { print file ":" FNR ": >= : > " }
        index(line, " > ") { print file ":" FNR ": > : >= " }
        index(line, " == ") { print file ":" FNR ": == : != " }
        index(line, " != ") { print file ":" FNR ": != : == " }
        index(line, " && ") { print file ":" FNR ": && : || " }
        index(line, " || ") { print file ":" FNR ": || : && " }
        index(line, " + ") { print file ":" FNR ": + : - " }
        index(line, " - ") { print file ":" FNR ": - : + " }
        index(line, " * ") && line !~ /[a-z_] \*[a-z]/ { print file ":" FNR ": * : + " }
        index(line, " / ") { print file ":" FNR ": / : * " }
        index(line, " % ") { print file ":" FNR ": % : / " }
        index(line, " += ") { print file ":" FNR ": += : -= " }
        line ~ /return (true|false);/ && line ~ /true/ { print file ":" FNR ":true:false" }
        line ~ /return (true|false);/ && line ~ /false/ { print file ":" FNR ":false:true" }
      ' "$root/$file"
    done | awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -n | cut -f 2- |
      head -n "$random"
  )
}

# ---- Copies ----------------------------------------------------------------------------------------

# What a killer needs to be built.
target_of() {
  case $1 in
    'test '*) echo "test_${1#test }" ;;
    'verify '* | 'cli '*) echo roundabout_cli ;;
    'mpi '*) local program=${1#mpi }; echo "${program%_+([0-9])}" ;;
  esac
}

build() { # copy, killer
  ninja -C "$1/build/release" -j "$share" "$(target_of "$2")" >"$1/build.log" 2>&1
}

# Runs a killer: 0 it is content; else it has seen something. A hang and a memory leak end somewhere.
run_killer() { # copy, killer, seconds of processor time
  local copy=$1 killer=$2
  (
    cd "$copy/build/release" || exit 125
    ulimit -t "$3" -c 0 -v 16000000
    case $killer in
      'test '*) exec timeout --foreground "$wall" "tests/test_${killer#test }" ;;
      'verify '*)
        # Most faults show for small p.
        # shellcheck disable=SC2086 # words
        timeout --foreground "$wall" ./roundabout verify --level thorough ${killer#verify } -p 1..20 &&
          exec timeout --foreground "$wall" ./roundabout verify --level thorough ${killer#verify }
        ;;
      'cli '*) exec timeout --foreground "$wall" "$copy/tests/cli/check" ./roundabout "$copy/tests/cli/${killer#cli }.transcript" ;;
      'mpi '*) exec timeout --foreground "$wall" ctest -R "^${killer#mpi }\$" --output-on-failure ;;
    esac
  ) >"$copy/killer.log" 2>&1 </dev/null
}

make_copy() { # number
  local copy=$work/$1
  mkdir -p "$copy"
  # By contents, and with the time of copying: a kept copy may be newer than a file that changed.
  (cd "$root" && { git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0; } |
    while IFS= read -r -d '' file; do
      cmp -s "$file" "$copy/$file" || cp --parents -t "$copy" "$file" 2>/dev/null
    done)
  for file in "${files[@]}"; do # of a run that was stopped in --keep
    cmp -s "$work/sources/$file" "$copy/$file" || cp "$work/sources/$file" "$copy/$file"
  done
  # As users have it: without assertions.
  if [ ! -f "$copy/build/release/build.ninja" ]; then
    cmake -S "$copy" -B "$copy/build/release" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$copy/build.log" 2>&1 || return 1
  fi
  local killer targets=()
  while IFS= read -r killer; do targets+=("$(target_of "$killer")"); done <"$work/killers"
  ninja -C "$copy/build/release" -j "$share" "${targets[@]}" >"$copy/build.log" 2>&1
}

# ---- One mutant ------------------------------------------------------------------------------------

inject() { # copy, i
  local text=''
  if [ "$random" != 0 ]; then
    line=${new[$2]} awk -v at="${old[$2]}" 'NR == at { print ENVIRON["line"]; next } { print }' \
      "$work/sources/${files[$2]}" >"$1/${files[$2]}"
    return
  fi
  slurp "$work/sources/${files[$2]}" text
  printf '%s' "${text/"${old[$2]}"/"${new[$2]}"}" >"$1/${files[$2]}"
}

try_mutant() { # copy, i
  local copy=$1 i=$2 killer verdict=SURVIVED status
  inject "$copy" "$i"
  while IFS= read -r killer; do
    [ -n "$killer" ] || continue
    if ! build "$copy" "$killer"; then
      verdict='does not compile'
      break
    fi
    run_killer "$copy" "$killer" $((20 + 10 * $(seconds_of "$killer")))
    status=$?
    if [ "$status" -ne 0 ]; then
      verdict="killed by $killer"
      case $status in 124 | 137 | 152) verdict+=' (does not end)' ;; 134 | 139) verdict+=' (crash)' ;; esac
      break
    fi
  done <<<"${kills[i]}"
  cp "$work/sources/${files[i]}" "$copy/${files[i]}"
  printf '%s\t%s\n' "$i" "$verdict" >>"$work/verdicts"
  printf '%3d of %d  %-36s %s\n' "$(wc -l <"$work/verdicts")" "${#names[@]}" "${names[i]}" "$verdict"
}

seconds_of() { awk -F '\t' -v killer="$1" '$1 == killer { print int($2) + 1 }' "$work/baseline"; }

work_off() { # copy number
  local i
  for i in "${!names[@]}"; do
    mkdir "$work/taken/$i" 2>/dev/null || continue
    try_mutant "$work/$1" "$i"
  done
}

# Every killer must be content with the sources as they are: this copy looks at those that no other took.
baseline() { # copy number
  local killer begun number=0
  while IFS= read -r killer; do
    number=$((number + 1))
    mkdir "$work/taken/killer-$number" 2>/dev/null || continue
    begun=$(date +%s%N)
    if ! run_killer "$work/$1" "$killer" 900; then
      complain "'$killer' fails without any mutant:"
      tail -n 20 "$work/$1/killer.log" >&2
      touch "$work/taken/failed"
    fi
    printf '%s\t%d\n' "$killer" $((($(date +%s%N) - begun) / 1000000000)) >>"$work/baseline"
  done <"$work/killers"
}

# shellcheck disable=SC2317 # called by a trap
end_all() {
  local job
  for job in $(jobs -p); do kill -- "-$job" 2>/dev/null; done
}

# ---- The run ---------------------------------------------------------------------------------------

report() {
  local i verdict killed=0 all=0 invalid=0 unexplained=0
  printf '\n%-36s %-34s %s\n' mutant file verdict
  while IFS=$'\t' read -r i verdict; do
    printf '%-36s %-34s %s\n' "${names[i]}" "${files[i]}" "$verdict"
    case $verdict in
      killed*) killed=$((killed + 1)) all=$((all + 1)) ;;
      SURVIVED)
        all=$((all + 1))
        printf '%-36s   %s\n' '' "${says[i]}"
        if [ -n "${reasons[i]}" ]; then
          printf '%-36s   listed: %s\n' '' "${reasons[i]}"
        else
          unexplained=$((unexplained + 1))
        fi
        ;;
      *) invalid=$((invalid + 1)) ;;
    esac
  done < <(sort -n "$work/verdicts")
  [ "$all" -gt 0 ] || { complain "no mutant compiles"; return 2; }
  printf '\n%d of %d killed (%d.%d %%)' "$killed" "$all" $((100 * killed / all)) $((1000 * killed / all % 10))
  [ "$unexplained" = 0 ] || printf ', %d survivors without a reason' "$unexplained"
  [ "$invalid" = 0 ] || printf ', %d do not compile' "$invalid"
  printf '; %d s\n' $(($(date +%s) - started))
  [ "$random" = 0 ] || return 0
  [ "$invalid" = 0 ] || return 2
  [ $((100 * killed)) -ge $((least * all)) ] && [ "$unexplained" = 0 ]
}

read_list
[ "${#names[@]}" -gt 0 ] || { complain "no mutant has such a name or file"; exit 2; }
check_list || exit 2
case $mode in
  check)
    echo "${#names[@]} mutants apply"
    exit 0
    ;;
  list)
    for i in "${!names[@]}"; do
      printf '%-36s %-34s %s\n' "${names[i]}" "${files[i]}" "$(paste -sd ';' <<<"${kills[i]%$'\n'}")"
    done
    exit 0
    ;;
esac
[ "$random" = 0 ] || make_random

run() {
  started=$(date +%s)
  wall=900
  processors=$(nproc)
  share=$((processors / jobs > 0 ? processors / jobs : 1))
  [ "$jobs" -le "${#names[@]}" ] || jobs=${#names[@]}
  if [ -n "$keep" ]; then
    mkdir -p "$keep" && work=$(realpath "$keep") || exit 3
  else
    work=$(mktemp -d) || exit 3
    trap 'rm -rf "$work"' EXIT
  fi
  trap 'end_all; exit 3' INT TERM HUP
  set -m # each job is a process group, which can be ended with all that it started
  rm -rf "$work/taken" "$work/sources"
  mkdir "$work/taken" "$work/sources"
  (cd "$root" && printf '%s\n' "${files[@]}" | sort -u | xargs cp --parents -t "$work/sources") || exit 3
  : >"$work/verdicts"
  : >"$work/baseline"
  printf '%s' "${kills[@]}" | grep . | sort -u >"$work/killers"

  echo "building $jobs copies"
  for ((copy = 1; copy <= jobs; copy++)); do
    make_copy "$copy" &
    pids[copy]=$!
  done
  for ((copy = 1; copy <= jobs; copy++)); do
    wait "${pids[copy]}" || { complain "copy $copy cannot be built:"; tail -n 20 "$work/$copy/build.log" >&2; exit 3; }
  done
  echo "$(wc -l <"$work/killers") killers without a mutant, then ${#names[@]} mutants"
  for ((copy = 1; copy <= jobs; copy++)); do baseline "$copy" & done
  wait
  [ ! -e "$work/taken/failed" ] || exit 3
  echo "that took $(($(date +%s) - started)) s"
  for ((copy = 1; copy <= jobs; copy++)); do work_off "$copy" & done
  wait
  report
}
run
exit
