"""ResNet-20 on a ZCU104: one run, a sweep, two architectures side by side.

    python3 resnet20.py [FOLDER]

Lines that begin with "# %%" start cells, a form that Jupyter, VS Code and Spyder know. Pictures are
written to FOLDER (default: the working directory) if matplotlib is installed (Debian:
python3-matplotlib).
"""

# %% One image. The network is compiled like the reference's compiler does; memory latency is fixed.
import os
import sys
import tempfile

import numpy as np
import tactus

folder = sys.argv[1] if len(sys.argv) > 1 else "."

board = tactus.Configuration("zcu104", memory_model="fixed", read_latency=20, write_latency=5)
model = tactus.compile("resnet20v2", board, compat=True)
image = np.random.default_rng(1).uniform(-1, 1, model.inputs[0].shape)
run = tactus.run(model, image, board, accounts=True)
print(f"{model.name}: {run.cycles} cycles = {run.milliseconds:.3f} ms")  # 744591 cycles = 7.446 ms
for name, values in run.outputs.items():
    print(f"{name}: class {values.argmax()} of {values.size}")

# %% The share of cycles in which each unit is busy, from the accounts of all units as an array.
rows = run.accounts
length = rows["end"] - rows["begin"]
for number, unit in enumerate(run.units):
    busy = [place for place, state in enumerate(unit.states) if state.kind == "busy"]
    mine = (rows["unit"] == number) & np.isin(rows["state"], busy)
    print(f"{unit.name:<16}{length[mine].sum() / run.cycles:7.1%}")

# %% A sweep over the memory latency. Each point runs in a process of its own.
definition = {
    "name": "latency",
    "base": {
        "workload": {"network": "resnet20v2"},
        "board": {"name": "zcu104", "memory_model": "fixed"},
    },
    "axes": [
        {"key": "compiler.optimise", "values": [False, True]},
        {"key": "board.read_latency", "values": [5, 20, 40, 80]},
    ],
}
curves = {False: [], True: []}
with tempfile.TemporaryDirectory() as results:
    lines = tactus.sweep(definition, results, lambda line: print(".", end="", flush=True))
print()
for line in lines:
    configuration = line["configuration"]
    curves[configuration["compiler"]["optimise"]].append(
        (configuration["board"]["read_latency"], line["figures"]["latency_ms"])
    )
for optimise, points in curves.items():
    name = "optimised" if optimise else "layer by layer"
    print(f"{name:<16}" + "  ".join(f"{x} cycles: {y:.3f} ms" for x, y in points))

# %% Two architectures: which reasons for lost cycles make the difference.
runs = {}
for size in (16, 32):
    smaller = board.replace(array_size=size)
    compiled = tactus.compile("resnet20v2", smaller, optimise=True)
    runs[f"array{size}"] = tactus.run(compiled, image.reshape(compiled.inputs[0].shape), smaller)
comparison = tactus.compare(**runs)
difference = comparison["runs"][1]["difference"]
print(f"array32 takes {difference['cycles']:+} cycles against array16:")
for reason, cycles in list(difference["reasons"].items())[:5]:
    print(f"{cycles:>12}  {reason}")

# %% Pictures.
try:
    import matplotlib
except ImportError:
    print("no pictures: matplotlib is not installed")
    sys.exit()
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

figure, axes = pyplot.subplots()
for optimise, points in curves.items():
    axes.plot(*zip(*points), marker="o", label="optimised" if optimise else "layer by layer")
axes.set(xlabel="memory latency (cycles)", ylabel="ms an image", title="ResNet-20 on a ZCU104")
axes.set_ylim(bottom=0)
axes.legend()
figure.savefig(os.path.join(folder, "latency.png"))

figure, axes = pyplot.subplots()
reasons = sorted({reason for one in runs.values() for reason in one.lost_cycles})
bottom = np.zeros(len(runs))
for reason in reasons:
    cycles = np.array([one.lost_cycles.get(reason, 0) for one in runs.values()])
    axes.bar(list(runs), cycles, bottom=bottom, label=reason)
    bottom += cycles
axes.set(ylabel="cycles in which the array multiplies nothing", title="ResNet-20, optimised")
axes.legend(fontsize="x-small")
figure.savefig(os.path.join(folder, "architectures.png"))
print("pictures in", folder)
