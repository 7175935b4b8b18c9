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

# Daemons of its own beside any that run: own sockets, own ports, own key.
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
AuthInfo=socket=$work/munge/socket
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

sweep=$source/configs/sweeps/quick.json
TACTUS=$tactus "$source/configs/sweeps/slurm.sh" "$sweep" "$work/cluster" 3
for _ in $(seq 600); do [ -z "$(squeue -h 2>/dev/null)" ] && break || sleep 0.2; done
cat "$work"/cluster/*.log

"$tactus" sweep "$sweep" -o "$work/direct" >/dev/null
strip_host() { sed 's/,"host":{[^}]*}//' "$1" | sort; }
diff <(strip_host "$work/direct/results.jsonl") <(strip_host "$work/cluster/all/results.jsonl")
echo "equal: $(wc -l <"$work/cluster/all/results.jsonl") points"
