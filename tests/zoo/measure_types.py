#!/usr/bin/env python3
"""Measures what each data type keeps of the zoo's networks, unscaled and with --scales auto.

    tests/zoo/measure_types.py PROGRAM FOLDER [NETWORK...]

PROGRAM is build/release/firmware/tactus, FOLDER takes the files that are made. The machine has lookup tables and an
array of 16. Scales are chosen on 4 drawn images and judged on 2 others: outputs against ONNX Runtime, RMS over images
and outputs, relative to the range of their values. Prints the table of firmware/compiler/README.md.
"""
import math
import pathlib
import sys

import networks


def measure(program, network, arch):
    calibration, judged = network.drawn(4, 3), network.drawn(2, 5)
    wanted = [network.expected(image) for image in judged]
    given = network.write(calibration, network.folder / "calibrate")
    cells = []
    for scales in ("none", "auto"):
        options = ["--arch", arch, "--scales", scales]
        if scales == "auto" and len(network.inputs) == 1:
            options += ["--calibrate", given[1].split("=", 1)[1]]
        for name, (shape, _) in network.inputs.items():
            options += ["--input-shape", f"{name}={','.join(map(str, shape))}"]
        folder = network.folder / f"{arch.stem}_{scales}"
        networks.compile_network(program, network, folder, *options)
        got, _ = networks.run(program, network, folder, folder / "run", judged)
        errors = networks.rms_errors(network, got, wanted)
        cells.append(f"{100 * math.sqrt(sum(e * e for e in errors) / len(errors)):.2g}")
    return cells


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    print("| network | " + " | ".join(f"{kind} | scaled" for kind in networks.TYPES) + " |")
    print("|---" * (1 + 2 * len(networks.TYPES)) + "|")
    for name, path in networks.models(program, "zoo", folder):
        if sys.argv[3:] and name not in sys.argv[3:]:
            continue
        row = [name]
        for kind in networks.TYPES:
            network = networks.Network(name, path, folder / name / kind)
            try:
                row += measure(program, network, networks.architecture(folder, kind, True))
            except networks.Refused as refused:
                row += [str(refused)[:40]] * 2
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
