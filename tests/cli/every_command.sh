#!/bin/bash
# every_command.sh TACTUS SOURCE_DIR GOLDEN_DIR: every command runs once with a valid input and ends with 0.
#
# Meant for a build with sanitizers, which find what a command does wrong before and after its results. A
# command of `tactus completion` that no line below runs is an error, so that a new command gets a line.
# Commands in TACTUS_SKIP_COMMANDS are named and not run.
set -u
tactus=$1 source=$2 golden=$3
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
export XDG_CACHE_HOME=$folder/cache
bad=0
ran=" "

# try WORDS...: runs tactus with the words.
try() {
  local name=$1
  case $1 in stripe | dais | darwinn | new) name="$1 $2" ;; esac
  ran="$ran$name, "
  case " ${TACTUS_SKIP_COMMANDS-} " in *" $1 "*) echo "not run: $name" && return ;; esac
  "$tactus" "$@" >out.txt 2>err.txt
  local code=$?
  [ $code -eq 0 ] && return
  printf 'tactus %s: exit code %s\n' "$*" "$code"
  tail -n 30 err.txt
  bad=1
}

configs=$source/configs
printf 'DataMove DRAM0(0) -> Local(0), 8\nMatMul.zeroes Acc(0), 4\n' >p.tasm
printf '0,0,read,0,64\n10,0,write,4096,128\n' >trace.csv
printf 'conv,8,8,3,3,2,4,1,\n' >net.csv
cat >sweep.json <<'TEXT'
{"name": "s", "base": {"workload": {"network": "mlp"}, "board": {"name": "pynq_z1"}},
 "axes": [{"key": "board.clock_mhz", "values": [50, 100]}]}
TEXT
cat >bench.json <<'TEXT'
{"rows": [{"network": "mlp", "board": "pynq_z1"}]}
TEXT
cat >codesign.json <<TEXT
{"name": "c", "base": {"workload": {"stripe": "$configs/codesign/two_convs.stripe"},
 "board": {"name": "pynq_z1"}, "codesign": {"passes": "$configs/codesign/passes.json.j2"}},
 "axes": [{"key": "board.clock_mhz", "values": [50]}]}
TEXT
dais=$golden/dais/prog/h03_relu

# The path of a network, from zoo to reports.
try zoo mlp -o net.onnx --image image.npy
try compile net.onnx --board pynq_z1 -o m --check --summary --layers --separate-outputs
model=m/net_onnx_pynq_z1.tmodel
try run "$model" --input image.npy -o out --stats a.json --report r.html --samples s.tsample \
  --sample-interval 100 --vcd w.vcd --timeline t.json --events e.txt
try run "$model" --engine step --stats b.json --quiet
try samples s.tsample --program "${model%.tmodel}.tprog" --arch pynqz1
try compare a.json b.json
try estimate "$model"
try info "$model"
try explain latency_ms
try pack "$model" -o m.dwn1
try darwinn info m.dwn1
try darwinn verify m.dwn1
try darwinn link m.dwn1 -o link
try darwinn unpack m.dwn1 -o unpacked
ran="${ran}darwinn replay, "  # takes packages of the Edge TPU; the tests of darwinn make one
head -c 24 /dev/zero >device.bin  # as many bytes as the output's buffer in the device has
try darwinn relayout m.dwn1 --input device.bin --output host.bin

# Programs and formats.
try asm p.tasm --arch pynqz1 -o p.tprog
try disasm p.tprog --arch pynqz1
try run --program p.tprog --arch pynqz1 --dump local=local.bin
try dais info "$dais/comb.json"
try dais run "$dais/comb.json" --input "$dais/in.f64"
try dais disasm "$dais/comb.json"
try dais convert "$dais/comb.json" --to v1 -o dais.bin
try dram trace.csv --ddr ddr4_2400 --output answers.csv --commands commands.csv --drampower d.trace --stats d.json
try stripe print "$configs/stripe/conv.stripe"
try stripe check "$configs/stripe/conv.stripe" --arch pynqz1
try stripe run "$configs/stripe/conv.stripe"
try stripe passes "$configs/stripe/conv.stripe" --arch pynqz1 --config "$configs/stripe/tcu_passes.json.j2"
try stripe lower "$configs/stripe/conv.stripe" --arch pynqz1 -o conv.tmodel
try topologies net.csv --board pynq_z1
try gemm --shape 8x8x8 --machine generic
try gemm --arch pynqz1

# Many runs.
try bench --config bench.json
try sweep sweep.json -o sweep
try report sweep -o sweep.html
try codesign codesign.json -o codesign
try cache list

# Checks, lists, and the program itself.
try selftest --arch pynqz1 --filter simd
try replay "$golden/logs/01_noop.txt"
try new machine mine --like pynq_z1
for list in networks boards architectures drams machines manual; do try $list; done
try completion bash

commands=$("$tactus" manual | sed -n 's/^\.SS "tactus \([a-z ]*[a-z]\).*/\1/p')
[ -n "$commands" ] || { echo "tactus manual names no command"; bad=1; }
while read -r command; do
  case $ran in *" $command, "*) ;; *) echo "tactus $command is not run here"; bad=1 ;; esac
done <<<"$commands"
exit $bad
