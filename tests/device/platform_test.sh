#!/usr/bin/env bash
# The example of a platform runs a compiled model in the cycles of `tactus run`.
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

# Its statistics have the layers of the run; the first one waits for the first word, too.
layers() { sed -n '/"layers"/,/^    \]/p' "$1" | grep -E '"(name|cycles|instructions)"'; }
if [ "$(layers device.json | tail -n +4)" != "$(layers fixed.json | tail -n +4)" ] ||
  [ "$(layers device.json | wc -l)" -lt 9 ]; then
  echo "the layers of the device are not those of the run:" >&2
  diff <(layers device.json) <(layers fixed.json) >&2 || true
  exit 1
fi

# What a user may do wrong is one line before the simulation.
if told=$("$platform" nothing.tmodel 2>&1); then
  echo "a model that does not exist is taken" >&2
  exit 1
fi
[[ $told == *"nothing.tmodel"* ]] || {
  echo "the error does not name the model: $told" >&2
  exit 1
}
