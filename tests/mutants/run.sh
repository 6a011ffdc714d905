#!/bin/bash
# Injects the faults of mutants.txt, one at a time, into a copy of the sources, and says which test sees
# each. A survivor must be listed with a reason, and at least 95 of 100 must be killed; docs/testing.md.
#
# usage: run.sh [--check | --list] [--jobs N] [--random N] [--seed S] [--sample N] [--keep DIR] [PATTERN...]
#
#   --check     only: check that each mutant still applies to the sources, exactly once
#   --list      only: print the names, files and killers of the mutants
#   --jobs N    so many at once, each in a copy of its own (default 2)
#   --random N  instead of the list: N operator mutants chosen at random from the files that it concerns, for
#               an unbiased rate; no rate is asked for then
#   --sample N  of the list, only N mutants chosen at random
#   --seed S    of these (default 1)
#   --keep DIR  work there (default build/mutants): what was built and tried without a mutant is used again
#   PATTERN     only mutants whose name or file matches one of these (shell patterns)
#
# Exit status: 0; 1 fewer than 95 of 100 killed, or a survivor without a reason; 2 a mutant that does not
# apply, or a wrong option; 3 the copy could not be built, or a test fails without any mutant.
set -u
shopt -s extglob
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
list=$here/mutants.txt
mode=run jobs=2 random=0 seed=1 sample=0 keep=$root/build/mutants patterns=()
least=95 # of 100

complain() { echo "run.sh: $*" >&2; }

while [ $# -gt 0 ]; do
  case $1 in
    --check) mode=check ;;
    --list) mode=list ;;
    --jobs | --random | --seed | --sample | --keep)
      [ $# -gt 1 ] || { complain "$1 needs a value"; exit 2; }
      case $1 in
        --keep) keep=$2 ;;
        *)
          [[ $2 =~ ^[0-9]{1,6}$ ]] || { complain "$1: '$2' is no whole number"; exit 2; }
          case $1 in --jobs) jobs=$2 ;; --random) random=$2 ;; --seed) seed=$2 ;; --sample) sample=$2 ;; esac
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
    /^RB_ROW\(/ && NF > 4 {
      if (!($4 in of)) names[++count] = $4
      of[$4] = of[$4] (of[$4] == "" ? "" : ",") $2
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
      'test '* | 'verify '* | 'mpi '* | 'ctest '* | 'cli '*) kill+=$line$'\n' ;;
      'survives '*) reason=${line#survives } ;;
      *) complain "mutants.txt:$number: '$line' is no line of a mutant"; exit 2 ;;
    esac
  done <"$list"
  finish
}

# The text of a file, its last line's end kept. Without a process, as there are hundreds of mutants.
slurp() { # file, variable
  IFS= read -r -d '' "$2" <"$1" || true
}

check_list() {
  local i text='' without count killer stale=0 seen=' ' programs
  programs=" $(grep -rhoE '(roundabout_test\(|add_executable\(test_)\w+' "$root/tests" --include=tests.cmake \
    --include=CMakeLists.txt | sed -E 's/.*\((test_)?//' | paste -sd ' ') "
  for i in "${!names[@]}"; do
    case $seen in *" ${names[i]} "*) complain "${names[i]}: there are two of this name"; stale=1 ;; esac
    seen+="${names[i]} "
    if [ -z "${old[i]}" ] || [ "${old[i]}" = "${new[i]}" ] || [ -z "${says[i]}" ] || [ -z "${kills[i]%$'\n'}" ]; then
      complain "${names[i]}: it needs file, says, - and + lines that differ, and killers"
      stale=1
      continue
    fi
    while IFS= read -r killer; do
      [[ $killer != 'test '* || $programs = *" ${killer#test } "* ]] ||
        { complain "${names[i]}: there is no program test_${killer#test }; is it a ctest?"; stale=1; }
    done <<<"${kills[i]}"
    [ -f "$root/${files[i]}" ] || { complain "${names[i]}: there is no ${files[i]}"; stale=1; continue; }
    slurp "$root/${files[i]}" text
    without=${text//"${old[i]}"/}
    count=$(((${#text} - ${#without}) / ${#old[i]}))
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
  local -A tests_of=() # a file: what kills the list's
  concerned=$(printf '%s\n' "${files[@]}" | sort -u)
  for i in "${!files[@]}"; do tests_of[${files[i]}]+=${kills[i]}; done
  i=0
  names=() files=() says=() old=() new=() kills=() reasons=()
  while IFS=: read -r file number before after; do
    i=$((i + 1))
    line=$(sed -n "${number}p" "$root/$file")
    names+=("random-$i") files+=("$file") says+=("line $number: $before becomes $after")
    old+=("$number") new+=("${line/"$before"/"$after"}")
    kills+=("$({ killers_of "$file"; echo "${tests_of[$file]}"; } | awk 'NF > 0 && !seen[$0]++')"$'\n') reasons+=('')
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

# What a killer needs to be built, one a line; for a test of CTest, what its command and variables name.
targets_of() { # copy, killer
  local built=$1/build/release test=${2#* }
  case $2 in
    'test '*) echo "tests/test_$test" ;;
    'verify '* | 'cli '*) echo roundabout ;;
    *) ctest --test-dir "$built" -N -V -R "^$test\$" | grep -E 'Test command:|^[0-9]+:  [A-Z_]+=' |
      grep -oE "$built/[^\" ;]+" | sed "s,^$built/,," | sort -u
      # CTest does not name a program that is not built.
      ! ninja -C "$built" -t query "tests/test_$test" >/dev/null 2>&1 || echo "tests/test_$test"
      # Nor what `measure` becomes under mpirun.
      [[ $test != *measure_* ]] || echo "roundabout-measure-${test##*_}" ;;
  esac
}

# Only what this killer needs; ccache, if there is one, has what another copy has compiled.
build() { # copy, killer
  mapfile -t targets < <(targets_of "$1" "$2")
  [ "${#targets[@]}" -gt 0 ] || { echo "there is no test '$2'" >"$1/build.log"; return 1; }
  CCACHE_BASEDIR=$1 CCACHE_NOHASHDIR=1 \
    ninja -C "$1/build/release" -j "$share" "${targets[@]}" >"$1/build.log" 2>&1
}

# Runs a killer: 0 it is content; else it has seen something. A hang and a memory leak end somewhere.
run_killer() { # copy, killer, seconds of processor time, log
  local copy=$1 killer=$2
  (
    cd "$copy/build/release" || exit 125
    ulimit -t "$3" -c 0 -v 16000000
    case $killer in
      'test '*) exec timeout --foreground "$wall" "tests/test_${killer#test }" ;;
      'verify '*)
        # shellcheck disable=SC2086 # words
        [[ $killer != *' -p '* ]] || exec timeout --foreground "$wall" ./roundabout $killer
        # Most faults show for small p.
        # shellcheck disable=SC2086
        timeout --foreground "$wall" ./roundabout verify --level thorough ${killer#verify } -p 1..20 &&
          exec timeout --foreground "$wall" ./roundabout verify --level thorough ${killer#verify }
        ;;
      'cli '*) exec timeout --foreground "$wall" "$copy/tests/cli/check" ./roundabout "$copy/tests/cli/${killer#cli }.transcript" ;;
      *) exec timeout --foreground "$wall" ctest -R "^${killer#* }\$" --no-tests=error --output-on-failure ;;
    esac
  ) >"${4:-$copy/killer.log}" 2>&1 </dev/null
}

# Copies by contents, and with the time of copying: a kept copy may be newer than a file that changed.
make_copy() { # number
  local copy=$work/$1
  mkdir -p "$copy"
  cd "$root" || return
  { git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0; } |
    xargs -0 sha1sum 2>/dev/null >"$work/sums"
  (cd "$copy" && LC_ALL=C sha1sum --check --quiet "$work/sums" 2>/dev/null) | sed 's/: FAILED.*//' |
    xargs -rd '\n' cp --parents -t "$copy"
  # As users have it: without assertions.
  [ -f "$copy/build/release/build.ninja" ] ||
    cmake -S "$copy" -B "$copy/build/release" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$copy/build.log" 2>&1
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
  local copy=$1 i=$2 killer verdict=SURVIVED status seconds
  inject "$copy" "$i"
  while IFS= read -r killer; do
    [ -n "$killer" ] || continue
    seconds=$(baseline "$killer") || { verdict="no verdict: '$killer' fails without it"; break; }
    if ! build "$copy" "$killer"; then
      verdict='does not compile'
      break
    fi
    run_killer "$copy" "$killer" $((20 + 10 * seconds))
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

# A killer must be content with the sources as they are, once for each build of what it runs: in the copy
# that never has a mutant, by the job that is first to need it. Prints the seconds that it took.
baseline() { # killer
  local killer=$1 begun built known="$work/known/${1//[^A-Za-z0-9]/_}"
  (
    flock 9
    if ! { flock 7 && build "$work/clean" "$killer" 7>&-; } 7>>"$work/clean/lock"; then
      complain "'$killer' cannot be built without any mutant:"
      tail -n 20 "$work/clean/build.log" >&2
      exit 1
    fi
    built=$(cd "$work/clean" && cat "${targets[@]/#/build/release/}" tests/{cli/*.transcript,mpi/*.sh,command/*.sh} |
      cksum)
    grep -qxs "$built" "$known.built" && exit
    begun=$(date +%s)
    if ! run_killer "$work/clean" "$killer" 900 "$known.log"; then
      complain "'$killer' fails without any mutant:"
      tail -n 20 "$known.log" >&2
      exit 1
    fi
    echo $(($(date +%s) - begun + 1)) >"$known.seconds"
    echo "$built" >"$known.built"
  ) 9>>"$known.lock" && cat "$known.seconds"
}

work_off() { # copy number
  local i
  for i in "${!names[@]}"; do
    mkdir "$work/taken/$i" 2>/dev/null || continue
    try_mutant "$work/$1" "$i"
  done
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
if [ "$sample" != 0 ]; then
  drawn=" $(seq 0 $((${#names[@]} - 1)) | awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand(), $0 }' |
    sort -n | head -n "$sample" | cut -d ' ' -f 2 | paste -sd ' ') "
  for i in "${!names[@]}"; do [[ $drawn == *" $i "* ]] || unset "names[i]"; done
fi
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
  mkdir -p "$keep/known" && work=$(realpath "$keep") || exit 3
  exec 8>"$work/lock"
  flock -n 8 || { complain "another run works in $work"; exit 3; }
  trap 'end_all; exit 3' INT TERM HUP
  set -m # each job is a process group, which can be ended with all that it started
  rm -rf "$work/taken" "$work/sources"
  mkdir "$work/taken" "$work/sources"
  (cd "$root" && printf '%s\n' "${files[@]}" | sort -u | xargs cp --parents -t "$work/sources") || exit 3
  : >"$work/verdicts"
  for copy in clean $(seq "$jobs"); do
    make_copy "$copy" && continue
    complain "copy $copy cannot be configured:"
    tail -n 20 "$work/$copy/build.log" >&2
    exit 3
  done
  for ((copy = 1; copy <= jobs; copy++)); do work_off "$copy" 8>&- & done
  wait
  report
}
run
exit
