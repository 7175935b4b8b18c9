# Checks that hold for every installed tree. Tests of installed trees source this file.
#
# check_tree PREFIX PYTHON checks a tree with PREFIX/bin/tactus. PYTHON is the interpreter of the module, or
# empty.
# It needs $work, a folder in which the checks run.

fail() {
  echo "$*" >&2
  exit 1
}

# has FILE: the file exists and is not empty.
has() { [ -s "$1" ] || fail "$1 is missing or empty"; }

# prints PATTERN COMMAND...: the command succeeds, and a line of its output matches.
prints() {
  local pattern=$1 told
  shift
  told=$("$@" 2>&1) || fail "$* fails: $told"
  grep -q -- "$pattern" <<<"$told" || fail "$* prints no line like $pattern: $told"
}

# check_links FOLDER: the targets of all links on the folder's pages exist.
check_links() {
  local page link links=0
  while IFS=: read -r page link; do
    links=$((links + 1))
    [ -e "$(dirname "$page")/$link" ] || fail "$page leads to $link, which is missing"
  done < <(grep -roE --include='*.md' '\]\([^)#]+' "$1" | sed 's/:\](/:/' | grep -v ':https\?:')
  [ "$links" -gt 50 ] || fail "$1: only $links links"
}

check_tree() {
  local prefix=$1 python=$2 told
  cd "$work"
  unset TACTUS_CONFIGS TACTUS_PROGRAM
  export XDG_CACHE_HOME=$work/cache

  # The program uses its own configurations and none of the source tree.
  prints '^tactus [0-9]' "$prefix/bin/tactus" --version
  prints '^zcu104 ' "$prefix/bin/tactus" boards
  "$prefix/bin/tactus" zoo mlp -o mlp.onnx >/dev/null
  told=$("$prefix/bin/tactus" compile mlp.onnx --board none --summary 2>&1 || true)
  [[ $told == *"is not in $prefix/share/tactus/configs/boards;"* ]] ||
    fail "boards are not those of the installation: $told"
  prints '^resnet20v2 local-vars-and-consts  *zcu104_uram ' \
    "$prefix/bin/tactus" bench --filter local-vars-and-consts -j 1
  prints 'RMS errors are of the size of' \
    "$prefix/bin/tactus" compile mlp.onnx --board zcu104 -o mlp --check

  # The completions and the manual page are complete.
  has "$prefix/share/bash-completion/completions/tactus"
  bash -n "$prefix/share/bash-completion/completions/tactus" || fail "bash refuses its completions"
  has "$prefix/share/zsh/vendor-completions/_tactus"
  has "$prefix/share/fish/vendor_completions.d/tactus.fish"
  has "$prefix/share/man/man1/tactus.1.gz"
  has "$prefix/share/doc/tactus/README.md"
  has "$prefix/share/doc/tactus/copyright"
  check_links "$prefix/share/doc/tactus"
  has "$prefix/share/doc/tactus/firmware/examples/embedding/main.cpp"

  # The Python module uses the program and the configurations of the same tree.
  [ -n "$python" ] || return 0
  PYTHONPATH=$prefix/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 \
    "$python" -W error - "$prefix" <<'PYTHON' || fail "the Python module does not work"
import os, sys, tempfile
import tactus

prefix = os.path.realpath(sys.argv[1])
assert os.path.realpath(tactus.__file__).startswith(prefix), tactus.__file__
assert os.path.realpath(tactus.program()) == prefix + "/bin/tactus", tactus.program()
assert all(path.startswith(prefix) for path in tactus.architectures().values())
run = tactus.run(tactus.compile("mlp", "zcu104"), [[0.5] * 16])
sweep = {"name": "one", "base": {"workload": {"network": "mlp"}, "board": {"name": "zcu104"}},
         "axes": [{"key": "board.clock_mhz", "values": [100]}]}
with tempfile.TemporaryDirectory() as folder:
    (line,) = tactus.sweep(sweep, folder + "/results")
assert line["figures"]["cycles"] == run.cycles, (line, run.cycles)
print("python", run)
PYTHON
}
