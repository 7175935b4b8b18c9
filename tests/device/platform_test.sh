#!/usr/bin/env bash
# The example of a platform runs a compiled model in as many cycles as `tactus run`.
# Two TCUs on a board's memory compute the same, each in more cycles than alone.
# Usage: platform_test.sh TACTUS PLATFORM BOARD_PLATFORM SOURCE_DIR
set -euo pipefail
tactus=$1
platform=$2
board_platform=$3
source_dir=$4

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

# Both TCUs print the outputs that the first platform prints.
together=$("$board_platform" net/*.tmodel)
outputs=$(grep '\.\.\.$' <<<"$told")
[ "$(grep -cF "$outputs" <<<"$together")" = 2 ] || {
  echo "outputs on the board's memory: $together; expected twice: $outputs" >&2
  exit 1
}
python3 - "$source_dir/configs" <<'END'
import json, sys
board = json.load(open(sys.argv[1] + "/boards/zcu104.json"))
board["architecture"] = sys.argv[1] + "/arch/pynqz1.tarch"
board.pop("provenance")
board.pop("compared")
json.dump(board, open("board.json", "w"))
END
"$tactus" run --model net/*.tmodel --board ./board.json --memory board --stats alone.json >/dev/null
alone=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' alone.json | head -n 1)
sed -n 's/.*: \([0-9]*\) cycles.*/\1/p' <<<"$together" | while read -r cycles; do
  [ "$cycles" -gt "$alone" ] || { echo "$cycles cycles beside another unit, $alone alone" >&2; exit 1; }
done

# An error of the user gives one line, before the simulation.
if told=$("$platform" nothing.tmodel 2>&1); then
  echo "a model that does not exist is taken" >&2
  exit 1
fi
[[ $told == *"nothing.tmodel"* ]] || {
  echo "the error does not name the model: $told" >&2
  exit 1
}
