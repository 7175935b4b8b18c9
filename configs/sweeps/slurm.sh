#!/usr/bin/env bash
# Runs a sweep as a job array of Slurm: one shard a task, then a job that joins the results.
#
#   configs/sweeps/slurm.sh SWEEP.json DIR SHARDS [sbatch options, e.g. --cpus-per-task=8]
#
# Shards go to DIR/shard-1, DIR/shard-2, ...; the joined results to DIR/all. Submitting the same
# again goes on where the shards were. The folder must be seen by all nodes.
#
#   TACTUS   the program (default: the tactus script of this checkout, already built)
set -euo pipefail

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then # a task of the array
  exec "$TACTUS" sweep "$1" -o "$2/shard-$SLURM_ARRAY_TASK_ID" \
    --shard "$SLURM_ARRAY_TASK_ID/$3" -j "${SLURM_CPUS_PER_TASK:-1}"
fi
if [ "${1:-}" = --join ]; then # the job after the array
  folders=()
  for ((i = 1; i <= $3; ++i)); do folders+=("$2/shard-$i"); done
  exec "$TACTUS" sweep merge "${folders[@]}" -o "$2/all"
fi

if [ $# -lt 3 ] || ! [[ $3 =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: $0 SWEEP.json DIR SHARDS [sbatch options]" >&2
  exit 2
fi
command -v sbatch >/dev/null || {
  echo "$0: sbatch was not found; on Debian: apt-get install slurm-client" >&2
  exit 2
}
script=$(readlink -f "${BASH_SOURCE[0]}")
sweep=$(readlink -e "$1") || {
  echo "$0: $1: no such file" >&2
  exit 2
}
mkdir -p "$2"
folder=$(readlink -f "$2")
shards=$3
shift 3
export TACTUS=${TACTUS:-$(dirname "$script")/../../tactus}
TACTUS=$(readlink -e "$TACTUS") || {
  echo "$0: TACTUS names no program" >&2
  exit 2
}
# Points that fail are results too, so the results are joined whatever the exit codes of the tasks.
array=$(sbatch --parsable --job-name=tactus-sweep --array="1-$shards" \
  --output="$folder/shard-%a.log" "$@" "$script" "$sweep" "$folder" "$shards")
join=$(sbatch --parsable --job-name=tactus-join --dependency="afterany:$array" \
  --output="$folder/join.log" "$script" --join "$folder" "$shards")
echo "job $array: $shards shards into $folder; job $join joins them into $folder/all"
