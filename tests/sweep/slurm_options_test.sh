#!/usr/bin/env bash
# With stubs of Slurm's commands: what slurm.sh refuses, and what it passes to sbatch.
# Usage: slurm_options_test.sh TACTUS SOURCE_DIR
set -euo pipefail
tactus=$1
source=$2
slurm=$source/configs/sweeps/slurm.sh
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache

# Every call of the stub writes its arguments to a file, one per line. If $work/answer-N exists, call N runs it.
mkdir "$work/bin"
cat >"$work/bin/sbatch" <<STUB
#!/usr/bin/env bash
number=\$((\$(ls "$work"/call-* 2>/dev/null | wc -l) + 1))
printf '%s\n' "\$@" >"$work/call-\$number"
env >"$work/env-\$number"
if [ -f "$work/answer-\$number" ]; then . "$work/answer-\$number"; fi
echo \$((100 + number))
STUB
chmod +x "$work/bin/sbatch"
export PATH=$work/bin:$PATH
cat >"$work/s.json" <<SWEEP
{"name": "s", "base": {"workload": {"network": "mlp"}, "board": {"name": "zcu104"}},
 "axes": [{"key": "board.read_latency", "values": [1, 2]}]}
SWEEP

reset() { rm -rf "$work"/call-* "$work"/env-* "$work"/answer-* "$work/d"; }
die() {
  echo "FAILED: $1" >&2
  exit 1
}
# expect CODE TEXT ARGUMENTS: slurm.sh ends with CODE and prints TEXT. A refusal does not call sbatch.
expect() {
  local code=$1 text=$2 status=0
  shift 2
  output=$("$slurm" "$@" 2>&1) || status=$?
  [ "$status" = "$code" ] || die "exit code $status, not $code, of $*: $output"
  [[ $output == *"$text"* ]] || die "no \"$text\" from $*: $output"
}
has() { grep -qxF -e "$2" "$work/call-$1" || die "call $1 has no $2: $(tr '\n' ' ' <"$work/call-$1")"; }
has_not() { ! grep -q -e "$2" "$work/call-$1" || die "call $1 has $2"; }

export TACTUS=$tactus
refused=0
refuse() {
  expect 2 "$@"
  [ -z "$(ls "$work"/call-* 2>/dev/null)" ] || die "refused, but submitted: $*"
  refused=$((refused + 1))
}
refuse "SHARDS" "$work/s.json" "$work/d"
refuse "SHARDS" "$work/s.json" "$work/d" 0
refuse "absent.json: no such file" "$work/absent.json" "$work/d" 2
sed 's/read_latency/read_latncy/' "$work/s.json" >"$work/typo.json"
refuse 'did you mean "board.read_latency"?' "$work/typo.json" "$work/d" 2
[ ! -e "$work/d" ] || die "a refused definition left a folder"
refuse "cannot be made" "$work/s.json" /proc/d 2
refuse "backslash" "$work/s.json" "$work/back\\slash" 2
TACTUS=$work/absent refuse "no program" "$work/s.json" "$work/d" 2
TACTUS=$source/tactus refuse "builds Tactus" "$work/s.json" "$work/d" 2
refuse "needs a value" "$work/s.json" "$work/d" 2 --array
mkdir "$work/other"
echo '{}' >"$work/other/sweep.json"
refuse "holds another sweep" "$work/s.json" "$work/other" 2
mkdir "$work/checkout" "$work/checkout/configs" "$work/checkout/configs/sweeps"
cp "$slurm" "$work/checkout/configs/sweeps"
status=0
output=$(env -u TACTUS -u TACTUS_BUILD_DIR "$work/checkout/configs/sweeps/slurm.sh" "$work/s.json" \
  "$work/d" 2 2>&1) || status=$?
[ "$status" = 2 ] && [[ $output == *"the program is not built"* ]] || die "no program: $output"

# Options of sbatch apply to both jobs; the option --array and options of the sweep only to the array.
expect 0 "job 101: 2 shards" "$work/s.json" "$work/d" 2%1 --partition=big --account x --mem=4G \
  --export=NONE --array=2 --retry-failed --point-timeout 60
has 1 --array=1-2%1
has 1 --array=2
for call in 1 2; do
  for word in --parsable --partition=big --account x --mem=4G --export=NONE; do
    has "$call" "$word"
  done
  has "$call" "$(readlink -f "$tactus")"
done
has 1 --retry-failed
has 1 "$work/d/sweep.json"
has_not 2 --retry-failed
has_not 2 --array
has 2 --dependency=afterany:101
cmp "$work/s.json" "$work/d/sweep.json"
[[ $output == *"s: 2 points"*"job 102: joins"* ]] || die "$output"
expect 0 "job 103" "$work/s.json" "$work/d" 2 # the same sweep again
sed -i 's/\[1, 2\]/[1, 3]/' "$work/s.json"
expect 2 "holds another sweep" "$work/s.json" "$work/d" 2

# The id of the array is printed even if the second job is refused; one of several clusters takes the array;
# slurm.sh is called inside a job; the name of DIR has a %.
reset
echo 'echo "101;north"; exit 0' >"$work/answer-1"
SLURM_ARRAY_TASK_ID=7 SLURM_CPUS_PER_TASK=8 SLURM_CONF=keep \
  expect 0 "job 101: 2 shards" "$work/s.json" "$work/d" 2 --clusters=north,south
has 2 --clusters=north
has 2 --dependency=afterany:101
! grep -q '^SLURM_ARRAY_TASK_ID\|^SLURM_CPUS' "$work/env-1" || die "settings of the job around it"
grep -q '^SLURM_CONF=keep' "$work/env-1"
reset
echo 'echo "sbatch: error: no" >&2; exit 1' >"$work/answer-2"
expect 2 "job 101: 2 shards" "$work/s.json" "$work/d" 2
[[ $output == *"sweep merge $work/d/shard-*"* ]] || die "$output"
reset
expect 0 "job 101" "$work/s.json" "$work/100%done" 2
has 1 "--output=$work/100%%done/logs/shard-%a.%A.log"
has 1 "$work/100%done"

# slurm.sh is installed, with the program beside it.
reset
mkdir -p "$work/usr/bin" "$work/usr/share/tactus/configs/sweeps"
cp -r "$source/configs/"{boards,arch,dram} "$work/usr/share/tactus/configs"
cp "$tactus" "$work/usr/bin"
cp "$slurm" "$work/usr/share/tactus/configs/sweeps"
env -u TACTUS "$work/usr/share/tactus/configs/sweeps/slurm.sh" "$work/s.json" "$work/d" 2
has 1 "$work/usr/bin/tactus"
[ -x "$slurm" ]

# A task on a node that cannot run the program is an error, and so is a join without shards.
status=0
output=$(SLURM_ARRAY_TASK_ID=1 "$slurm" --task "$work/absent" s . d 2 2>&1) || status=$?
[ "$status" = 2 ] && [[ $output == *"cannot be run here"* ]] || die "$output"
status=0
output=$(SLURM_JOB_ID=9 "$slurm" --join "$tactus" "$work/d" 2>&1) || status=$?
[ "$status" = 2 ] && [[ $output == *"no shard has begun"* ]] || die "$output"
[ "$(cat "$work/d/logs/join.9.exit")" = 2 ]

# Tasks are run as Slurm would run them. There are more tasks than points.
for task in 1 2 3; do
  SLURM_ARRAY_TASK_ID=$task "$slurm" --task "$tactus" "$work/d/sweep.json" "$work" "$work/d" 3 >/dev/null
done
SLURM_JOB_ID=10 "$slurm" --join "$tactus" "$work/d" | grep -q "2 of 2 points, 0 of them failed"
echo "all as wanted; $refused refusals"
