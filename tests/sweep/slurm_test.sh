#!/usr/bin/env bash
# A sweep through a Slurm of one node equals the same sweep run directly.
# Usage: slurm_test.sh TACTUS SOURCE_DIR. Exit code 77: skipped.
set -euo pipefail
tactus=$1
source=$2

for program in munged slurmctld slurmd sbatch scontrol; do
  command -v "$program" >/dev/null || {
    echo "skipped: $program was not found; on Debian: apt-get install slurm-wlm munge"
    exit 77
  }
done
[ "$(id -u)" -eq 0 ] || {
  echo "skipped: starting a Slurm of its own needs root"
  exit 77
}

work=$(mktemp -d)
mkdir -p "$work"/{spool,state,munge}
chmod 755 "$work"
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

# The test starts daemons of its own, with their own sockets, ports and key, beside any that run.
dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 status=none
chown -R munge:munge "$work/munge"
chmod 700 "$work/munge"
chmod 600 "$work/munge/key"
chmod 755 "$work/munge"
port=$((20000 + $$ % 20000))
host=$(hostname -s)
cat >"$work/slurm.conf" <<CONF
ClusterName=tactus
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
# A requeued job may start again after cred_expire seconds.
AuthInfo=socket=$work/munge/socket,cred_expire=10
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmdSpoolDir=$work/spool
StateSaveLocation=$work/state
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf

runuser -u munge -- munged --foreground --force --key-file="$work/munge/key" \
  --socket="$work/munge/socket" --pid-file="$work/munge/pid" --log-file="$work/munge/log" \
  --seed-file="$work/munge/seed" >"$work/munged.log" 2>&1 &
pids+=($!)
for _ in $(seq 50); do [ -S "$work/munge/socket" ] && break || sleep 0.1; done
slurmctld -D -f "$work/slurm.conf" >"$work/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D -N "$host" -f "$work/slurm.conf" >"$work/slurmd.log" 2>&1 &
pids+=($!)
for _ in $(seq 100); do
  sinfo -h -o %T 2>/dev/null | grep -q idle && break || sleep 0.2
done
if ! sinfo -h -o %T 2>/dev/null | grep -q idle; then
  echo "skipped: no Slurm can be started here"
  tail -n 5 "$work"/*.log
  exit 77
fi

slurm=$source/configs/sweeps/slurm.sh
export TACTUS=$tactus TACTUS_POLL_SECONDS=0.5
strip_host() { sed 's/,"host":{[^}]*}//' "$1" | sort; }
die() {
  echo "FAILED: $1" >&2
  exit 1
}

sweep=$source/configs/sweeps/quick.json
"$slurm" "$sweep" "$work/cluster" 3 --wait
cat "$work"/cluster/logs/*.log
"$tactus" sweep "$sweep" -o "$work/direct" >/dev/null
diff <(strip_host "$work/direct/results.jsonl") <(strip_host "$work/cluster/all/results.jsonl")
echo "equal: $(wc -l <"$work/cluster/all/results.jsonl") points"

# DIR contains a pattern; there are more shards than points, two run at a time, with --export=NONE; one point
# fails; the definition changes while the tasks wait.
cat >"$work/fails.json" <<SWEEP
{"name": "fails", "base": {"workload": {"network": "m.onnx"}, "board": {"name": "zcu104"}},
 "axes": [{"key": "architecture.accumulator_depth", "values": [1, 512]}]}
SWEEP
"$tactus" zoo mlp -o "$work/m.onnx" >/dev/null
folder=$work/50%done
status=0
"$slurm" "$work/fails.json" "$folder" 4%2 --export=NONE --wait >"$work/wait.log" || status=$?
cat "$work/wait.log"
[ "$status" = 1 ] || die "--wait ended with $status though a point failed"
tail -n 1 "$work/wait.log" | grep -q "2 of 2 points, 1 of them failed" || die "not a word of it"

# The same sweep again, with one shard only: failed points run again, and old logs are kept. Then the join runs
# without folders of shards.
before=$(ls "$folder"/logs/*.log | wc -l)
status=0
"$slurm" "$work/fails.json" "$folder" 4 --array=1 --retry-failed --wait || status=$?
[ "$status" = 1 ] || die "$status"
[ "$(ls "$folder"/logs/*.log | wc -l)" = $((before + 2)) ] || die "logs: $(ls "$folder/logs")"
newest=$(find "$folder/logs" -name 'shard-1.*.log' -newer "$work/wait.log")
grep -q "1 of them to run" "$newest" || die "--retry-failed did not reach the task"

# A sweep is started from inside a job. A point that is killed from outside runs again at the next submission.
cat >"$work/outer.sh" <<OUTER
#!/bin/bash
exec "$slurm" "$sweep" "$work/inner" 2
OUTER
sbatch --parsable --wait --array=5 --output="$work/outer.log" "$work/outer.sh" >/dev/null
cat "$work/outer.log"
for _ in $(seq 300); do [ -z "$(squeue -h)" ] && break || sleep 0.2; done
diff <(strip_host "$work/direct/results.jsonl") <(strip_host "$work/inner/all/results.jsonl")

# tactus sweep --submit has three shards, one of which is killed and requeued while it runs. Every shard has
# some points before that and some after it.
cat >"$work/many.json" <<SWEEP
{"name": "many", "base": {"workload": {"network": "mlp"}, "board": {"name": "zcu104",
 "memory_model": "fixed"}},
 "axes": [{"key": "board.read_latency", "from": 1, "to": 120, "step": 1}]}
SWEEP
folder=$work/submitted
"$tactus" sweep status "$folder" 2>/dev/null && die "a status of nothing"
"$tactus" sweep "$work/many.json" --submit slurm --shards 3 -o "$folder" | tee "$work/submit.log"
[ -f "$folder/submit.sh" ] || die "no submit.sh"
job=$(sed -n 's/^job \([0-9]*\): 3 shards.*/\1/p' "$work/submit.log")
for _ in $(seq 600); do
  [ "$(cat "$folder/shard-2/results.jsonl" 2>/dev/null | wc -l)" -ge 2 ] && break || sleep 0.1
done
scontrol requeue "${job}_2" || die "shard 2 had ended before it could be killed"
"$tactus" sweep status "$folder" >"$work/status.log" && die "done though a shard was killed"
cat "$work/status.log"
grep -q "of 120 points ok, 0 failed" "$work/status.log" || die "no count in the status"
for _ in $(seq 1000); do [ -z "$(squeue -h)" ] && break || sleep 0.2; done
"$tactus" sweep status "$folder" || die "not all points are there"
[ "$(grep -c "of them to run" "$folder"/logs/shard-2.*.log)" = 2 ] || die "shard 2 did not run twice"
"$tactus" sweep "$work/many.json" -o "$work/many" >/dev/null
diff <(strip_host "$work/many/results.jsonl") <(strip_host "$folder/all/results.jsonl")

# A study of codesign is also a sweep.
cat >"$work/study.json" <<SWEEP
{"name": "study", "base": {"workload": {"stripe": "$source/configs/codesign/two_convs.stripe"},
 "board": {"name": "zcu104", "memory_model": "fixed"}, "codesign": {"doubling": false, "energy": "relative"}},
 "axes": [{"key": "architecture.array_size", "values": [8, 16]}]}
SWEEP
"$tactus" codesign "$work/study.json" --submit slurm --shards 2 --wait -o "$work/study"
"$tactus" sweep status "$work/study"
echo "all as wanted"
