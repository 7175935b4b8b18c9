#!/bin/bash
# includes_test.sh SOURCE_DIR: folders include each other in one direction only.
#
# Each rule names a folder and the folders whose headers its files may include, with their subfolders. A folder
# without a rule may include anything that the last rules do not forbid. Prints every include that breaks a
# rule; exit code 1 if there is one.
set -u
cd "$1" || exit 2
bad=0

# check FOLDER PATTERN WHY: no file of the folder has an include that matches.
check() {
  local found
  found=$(grep -rnE "^ *#include +$2" "$1" --include='*.h' --include='*.cpp') || return 0
  printf '%s\n    %s\n' "$found" "$3"
  bad=1
}

# allow FOLDER ALLOWED...: files of the folder include, in quotes, only files of the allowed folders. Subfolders
# that match $except have rules of their own.
except='^$'
allow() {
  local folder=$1
  shift
  [ -d "$folder" ] || { echo "$folder: no such folder"; bad=1; return; }
  local list found
  list=$(IFS='|'; echo "$*")
  found=$(grep -rnE '^ *#include +"' "$folder" --include='*.h' --include='*.cpp' |
          grep -vE "#include +\"($list)/|$except")
  [ -z "$found" ] && return
  printf '%s\n    %s may include: %s\n' "$found" "$folder" "$*"
  bad=1
}

# Formats do not know the simulation.
allow isa/support isa/support
allow isa/dais isa/support isa/dais
allow isa/dram isa/support isa/dram
allow isa/tcu isa/support isa/dais isa/tcu
allow isa/darwinn isa/support isa/tcu isa/darwinn
allow isa/dpas isa/support isa/dpas
check isa '<(systemc|tlm)' 'isa knows no SystemC'

# The parts that all machines share know no instruction set and no machine.
allow models/sim isa/support models/sim
allow models/axi isa/support models/sim models/axi models/dram
allow models/dram isa/support isa/dram models/sim models/dram
allow models/dais isa/support isa/dais models/sim models/dais
allow models/tcu isa models/sim models/axi models/dram models/dais models/tcu
allow models/dpas isa/support isa/dpas models/sim models/axi models/dram models/dpas
allow firmware/driver/common isa/support isa/dram models/sim models/axi models/dram \
      firmware/driver/common
allow models/link isa/support models/sim models/link
allow firmware/driver/darwinn isa models/sim models/link firmware/driver/tcu \
      firmware/driver/darwinn
allow firmware/driver/dpas isa/support isa/dpas isa/dram models/sim models/axi models/dram models/dpas firmware/driver/common firmware/driver/dpas
# Drivers do not know the reports. Reports about one machine have a folder for each machine.
check firmware/driver '"firmware/report/' 'a driver knows nothing of reports'
except='^firmware/report/(tcu|dpas)/'
allow firmware/report isa/support models/sim models/axi firmware/driver/common firmware/process firmware/report
except='^$'
allow firmware/report/tcu isa/support isa/tcu models firmware/driver/common firmware/driver/tcu firmware/report
allow firmware/report/dpas isa/support isa/dpas models firmware/driver/common firmware/driver/dpas firmware/report
allow firmware/energy isa models/sim firmware/config firmware/driver firmware/energy firmware/report

# The hardware does not include the software, and neither includes the tests.
check models '"(firmware|tests)/' 'models know nothing of what drives them'
check firmware '"tests/' 'the program knows nothing of its tests'

# Matrix products run on every machine and do not know networks.
allow firmware/gemm isa models firmware/config firmware/driver firmware/energy firmware/gemm firmware/report \
  firmware/selftest

# Codesign studies Stripe programs on a machine; sweeps run it.
allow firmware/codesign isa firmware/bench firmware/codesign firmware/compiler firmware/config \
  firmware/driver firmware/energy firmware/onnx firmware/tensorflow firmware/zoo models/sim

# Networks do not know machines.
allow firmware/onnx isa/support firmware/onnx
allow firmware/zoo isa/support firmware/onnx firmware/tensorflow firmware/zoo
allow firmware/reference isa/support firmware/onnx firmware/reference
allow firmware/tensorflow isa/darwinn isa/support firmware/onnx firmware/reference firmware/tensorflow
allow firmware/process isa/support firmware/process
# Stripe does not know machines either; the part that knows one is in the folder of its target.
allow firmware/compiler/stripe isa/support firmware/compiler/stripe
allow firmware/compiler/targets/tcu/stripe isa firmware/compiler firmware/onnx
check firmware/compiler/stripe '<(systemc|tlm)' 'Stripe knows no SystemC'

exit $bad
