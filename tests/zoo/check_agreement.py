#!/usr/bin/env python3
"""Compares the verdict of `tactus compile --check` with the one by ONNX Runtime's outputs.

    tests/zoo/check_agreement.py PROGRAM MODELS FOLDER [--type FP16BP8] [--network NAME]

PROGRAM is build/release/firmware/tactus. MODELS is a folder of .onnx files of any depth, or `zoo` for the networks
of `tactus zoo`, or a folder of the drawn graphs of make_check_cases.py. By ONNX Runtime a program is right if the
machine's own outputs, as `tactus run` writes them, have an RMS error of at most 2 % of their range. FOLDER takes
the files that are made. A disagreement is printed with the table of --check.
"""
import argparse
import pathlib
import sys

import numpy as np

import networks


def image_of(network, path):
    """The case's own input, one recorded for the model, or values from -1 to 1."""
    own = path.parent / "input_0.npy"
    if own.exists():
        return {name: np.load(path.parent / f"input_{i}.npy")
                for i, name in enumerate(network.inputs)}
    recorded = path.parent.parent / "expected" / f"{path.stem}.npz"
    if recorded.exists():
        arrays = np.load(recorded)
        names = [name for name in arrays if name.startswith("in_")]
        return {name: arrays[one].reshape(network.inputs[name][0])
                for name, one in zip(network.inputs, names)}
    return network.drawn(1, 1)[0]


def judge(program, name, path, folder, arch):
    """Verdicts of the check and of ONNX Runtime, and the table of the check."""
    network = networks.Network(name, path, folder)
    image = image_of(network, path)
    options = ["--arch", arch, "--check", *network.write([image], folder / "check")]
    for one, (shape, _) in network.inputs.items():
        options += ["--input-shape", f"{one}={','.join(map(str, shape))}"] if shape else []
    text, code = networks.compile_network(program, network, folder / "program", *options,
                                          codes=(0, 1))
    got, _ = networks.run(program, network, folder / "program", folder / "run", [image])
    errors = networks.rms_errors(network, got, [network.expected(image)])
    return code == 0, max(errors) <= 0.02, max(errors), text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("models")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--type", choices=networks.TYPES, default="FP16BP8")
    parser.add_argument("--tables", action="store_true", help="with lookup tables")
    parser.add_argument("--network", help="only this one")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    arch = networks.architecture(given.folder, given.type, given.tables)
    counts = {}
    for name, path in networks.models(given.program, given.models, given.folder):
        if given.network not in (None, name):
            continue
        try:
            accepted, right, error, text = judge(given.program, name, path, given.folder / name, arch)
        except networks.Refused as refused:
            counts["not compiled"] = counts.get("not compiled", 0) + 1
            print(f"{name}: not compiled: {refused}", flush=True)
            continue
        verdict = f"{'right' if right else 'wrong'}, {'accepted' if accepted else 'refused'}"
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{name}: RMS error {100 * error:.4f} %: {verdict}", flush=True)
        if accepted != right:
            print(text, flush=True)
    print("; ".join(f"{verdict}: {count}" for verdict, count in sorted(counts.items())))
    return 1 if counts.get("right, refused") or counts.get("wrong, accepted") else 0


if __name__ == "__main__":
    sys.exit(main())
