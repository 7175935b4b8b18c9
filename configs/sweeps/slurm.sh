#!/usr/bin/env bash
# Runs a sweep as a job array of Slurm: one shard a task, then a job that joins the results.
#
#   slurm.sh SWEEP.json DIR SHARDS[%N] [options of sbatch] [--retry-failed] [--max-cycles N]
#                                      [--point-timeout S] [--wait]
#
# Shards go to DIR/shard-1, DIR/shard-2, ..., at most N at a time; the joined results to DIR/all;
# logs to DIR/logs. The same command again continues where the shards were. Options of sbatch, such
# as --partition, --account, --time, --mem and --cpus-per-task, apply to all jobs; --array=3 runs
# shard 3 only. --wait returns when the results are joined: 0, or 1 if points failed or are missing.
# All nodes must see DIR, the program and the files that the sweep names. See configs/README.md.
#
#   TACTUS   the program (default: the one installed with this script or built in its checkout)
set -euo pipefail

fail() { # message
  echo "${0##*/}: $1" >&2
  exit 2
}

# One task of the array. Arguments: program, sweep, folder of the sweep's files, DIR, SHARDS, options.
run_task() {
  local program=$1 sweep=$2 beside=$3 folder=$4 shards=$5 task=$SLURM_ARRAY_TASK_ID
  shift 5
  "$program" --version || fail "$(hostname): $program cannot be run here; see configs/README.md"
  exec "$program" sweep "$sweep" --beside "$beside" -o "$folder/shard-$task" \
    --shard "$task/$shards" -j "${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}" "$@"
}

# The job after the array. Arguments: program, DIR. Writes its exit code to a file for --wait.
run_join() {
  local program=$1 folder=$2 status=0 folders=()
  local shard
  for shard in "$folder"/shard-*/; do
    [ -f "$shard/sweep.json" ] && folders+=("$shard")
  done
  if [ ${#folders[@]} -eq 0 ]; then
    echo "no shard has begun; see the logs of the shards" >&2
    status=2
  else
    "$program" sweep merge "${folders[@]}" -o "$folder/all" || status=$?
  fi
  echo "$status" >"$folder/logs/join.$SLURM_JOB_ID.exit"
  exit "$status"
}

case "${1:-}" in
  --task) shift && run_task "$@" ;;
  --join) shift && run_join "$@" ;;
esac

if [ $# -lt 3 ] || ! [[ $3 =~ ^[1-9][0-9]*(%[1-9][0-9]*)?$ ]]; then
  sed -n '2,/^set -/{s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
command -v sbatch >/dev/null || fail "sbatch was not found; on Debian: apt-get install slurm-client"

script=$(readlink -f "${BASH_SOURCE[0]}")
place=$(dirname "$script")
sweep=$(readlink -e "$1") || fail "$1: no such file"
directory=$2
shards=${3%\%*}
array="1-$3"
shift 3

# The program itself, not the script that builds it, since nodes must not build.
if [ -n "${TACTUS:-}" ]; then
  program=$(command -v "$TACTUS") || fail "TACTUS=$TACTUS: no program"
else
  for program in "$place/../../../../bin/tactus" \
    "${TACTUS_BUILD_DIR:-$place/../../build/release}/firmware/tactus"; do
    [ -f "$program" ] && [ -x "$program" ] && break
  done
fi
program=$(readlink -e "$program") ||
  fail "the program is not built: run ./tactus build first, or name it in TACTUS"
[ "$program" -ef "$place/../../tactus" ] &&
  fail "$program builds Tactus; TACTUS must name the built program, e.g. build/release/firmware/tactus"

# Options of the sweep, options of sbatch for all jobs, and those for the array only.
sweep_options=() common=() only_array=()
wait=
while [ $# -gt 0 ]; do
  case "$1" in
    --retry-failed) sweep_options+=("$1") ;;
    --max-cycles=* | --point-timeout=*) sweep_options+=("$1") ;;
    --max-cycles | --point-timeout)
      [ $# -ge 2 ] || fail "$1 needs a value"
      sweep_options+=("$1" "$2")
      shift
      ;;
    -W | --wait) wait=1 ;;
    --array=* | -a?*) only_array+=("$1") ;;
    --array | -a)
      [ $# -ge 2 ] || fail "$1 needs a value"
      only_array+=("$1" "$2")
      shift
      ;;
    --dependency=* | -d?*) only_array+=("$1") ;;
    --dependency | -d)
      [ $# -ge 2 ] || fail "$1 needs a value"
      only_array+=("$1" "$2")
      shift
      ;;
    *) common+=("$1") ;;
  esac
  shift
done

# The definition is checked now and copied, so that later changes of the file do not affect waiting tasks.
check=$("$program" sweep "$sweep" --check ${sweep_options[@]+"${sweep_options[@]}"}) || exit 2
mkdir -p "$directory/logs" || fail "$directory: cannot be made"
folder=$(readlink -e "$directory")
case "$folder" in *\\*) fail "$folder: Slurm cannot name logs in a folder with a backslash" ;; esac
if [ -f "$folder/sweep.json" ]; then
  cmp -s "$sweep" "$folder/sweep.json" || fail "$folder holds another sweep; choose another folder"
fi
# Copies to a temporary file first, so that no task reads an incomplete copy.
copy=$folder/.sweep.json.$$
cp "$sweep" "$copy" && mv -f "$copy" "$folder/sweep.json" || fail "$folder: cannot be written"

# Inside another job, its settings would be taken for those of the new jobs.
for variable in ${!SLURM_@}; do
  [ "$variable" = SLURM_CONF ] || unset "$variable"
done
logs=${folder//%/%%}/logs # % introduces a pattern
submitted=$(sbatch --parsable --job-name=tactus-sweep --array="$array" --open-mode=append --requeue \
  --output="$logs/shard-%a.%A.log" ${common[@]+"${common[@]}"} ${only_array[@]+"${only_array[@]}"} \
  "$script" --task "$program" "$folder/sweep.json" "$(dirname "$sweep")" "$folder" "$shards" \
  ${sweep_options[@]+"${sweep_options[@]}"})
job=${submitted%%;*}
cluster=() # the one that took the array, of several
[ "$submitted" = "$job" ] || cluster=(--clusters="${submitted#*;}")
echo "$check"
echo "job $job: $shards shards into $folder, logs in $folder/logs"
# Points that fail are results too, so the results are joined whatever the exit codes of the tasks.
submitted=$(sbatch --parsable --job-name=tactus-join --open-mode=append \
  --output="$logs/join.%j.log" ${common[@]+"${common[@]}"} ${cluster[@]+"${cluster[@]}"} \
  --dependency="afterany:$job" "$script" --join "$program" "$folder") ||
  fail "the job that joins the results was refused; when job $job has ended: tactus sweep merge $folder/shard-* -o $folder/all"
join=${submitted%%;*}
echo "job $join: joins them into $folder/all"

[ -n "$wait" ] || exit 0
while :; do
  state=$(squeue -h -j "$join" -o %T ${cluster[@]+"${cluster[@]}"} 2>&1) || {
    [[ $state == *[Ii]nvalid\ job\ id* ]] && break
  }
  [ -n "$state" ] || break
  [ -f "$folder/logs/join.$join.exit" ] && break
  sleep "${TACTUS_POLL_SECONDS:-5}"
done
for _ in $(seq 30); do # a shared file system may show the file late
  [ -f "$folder/logs/join.$join.exit" ] && break || sleep 1
done
tail -n 1 "$folder/logs/join.$join.log" || true
[ -f "$folder/logs/join.$join.exit" ] || fail "job $join ended without a result"
exit "$(cat "$folder/logs/join.$join.exit")"
