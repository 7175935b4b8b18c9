#!/usr/bin/env bash
# The example of a platform runs a compiled model in as many cycles as `tactus run`.
# Usage: platform_test.sh TACTUS PLATFORM SOURCE_DIR
set -euo pipefail
tactus=$1
platform=$2
source_dir=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$tactus" zoo mlp -o mlp.onnx >/dev/null
"$tactus" compile mlp.onnx --arch "$source_dir/configs/arch/pynqz1.tarch" -o net >/dev/null
told=$("$platform" net/*.tmodel tcu.vcd device.json)
"$tactus" run --model net/*.tmodel --memory fixed --axi-data-bits 128 --read-latency 20 \
  --write-latency 5 --stats fixed.json >/dev/null
cycles=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' fixed.json | head -n 1)
if [[ $told != *": $cycles cycles"* ]] || [ ! -s tcu.vcd ]; then
  echo "the platform says $told, tactus run $cycles cycles" >&2
  exit 1
fi

# The statistics of the platform have the layers of the run. Its first layer also waits for the first word.
python3 - <<'END'
import json, sys
device, run = (json.load(open(f))["accounting"]["layers"] for f in ("device.json", "fixed.json"))
wait = device[0]["cycles"] - run[0]["cycles"]
run[0]["cycles"] += wait
run[0]["lost"]["instruction_stream"] += wait
for layer in device + run:  # shares of totals that differ
    for share in ("share", "array_busy", "useful_mac"):
        layer.pop(share, None)
if wait <= 0 or len(run) < 2 or device != run:
    sys.exit(f"the layers of the device, {device}, are not those of the run, {run}")
END

# An error of the user gives one line, before the simulation.
if told=$("$platform" nothing.tmodel 2>&1); then
  echo "a model that does not exist is taken" >&2
  exit 1
fi
[[ $told == *"nothing.tmodel"* ]] || {
  echo "the error does not name the model: $told" >&2
  exit 1
}
