#!/usr/bin/env python3
"""Measures what --scales brings: RMS errors, first classes and cycles, unscaled and scaled.

    tests/zoo/measure_scales.py PROGRAM FOLDER MODELS... [--images DIR] [--board zcu104]

PROGRAM is build/release/firmware/tactus, MODELS are .onnx files or folders of them, FOLDER takes the files that are
made. Images are NAME.npy beside NAME.onnx or in --images, else drawn pictures of the ranges below. Scales are chosen
on 8 images and judged on 8 others, with the program of --optimise, simulated with the board's memory: outputs against
ONNX Runtime, relative to the range of their values, RMS over images and outputs. Gains are unscaled over scaled.
train_networks.py trains some networks.
"""
import argparse
import math
import pathlib
import statistics

import numpy as np

import networks

IMAGES = 8
# Range of the values that a network takes; -1 to 1 for the others.
RANGES = {"mnist_cntk": (0, 255), "traffic_classifier64": (0, 255), "yunet_s_320": (0, 255),
          "yolox_nano": (0, 255), "fastestdet": (0, 1), "espcn_nn_resize": (0, 1),
          "espcn_subpixel": (0, 1), "super_resolution": (0, 1), "lenet": (0, 1),
          "traffic_sign_fast": (0, 1), "KJ_TinyTaxiNet": (0, 1)}
NORMALISED = {"cifar": (-2, 2), "ACASXU": (-0.5, 0.5)}  # by the name's begin


def images_of(network, path, folder):
    """Images to calibrate with, and others to judge."""
    for place in (path.parent, folder):
        given = place / f"{path.stem}.npy" if place else None
        if given and given.exists():
            name, (shape, kind) = next(iter(network.inputs.items()))
            values = np.load(given).astype(kind).reshape([-1, *shape])
            values = values[:2 * IMAGES * (len(values) // (2 * IMAGES))]
            images = [{name: one} for one in values[::len(values) // (2 * IMAGES)]]
            return images[::2], images[1::2]
    low, high = RANGES.get(path.stem, (-1, 1))
    for begin, limits in NORMALISED.items():
        if path.stem.startswith(begin):
            low, high = limits
    images = network.drawn(2 * IMAGES, 7, low, high, smooth=True)
    return images[::2], images[1::2]


def first_classes(network, got, wanted):
    """Share of the rows of classes whose first one is kept; none: the network has no classes."""
    kept = []
    for name in network.outputs:
        if wanted[0][name].ndim != 2 or not 4 < wanted[0][name].shape[1] <= 1000:
            continue
        for a, b in zip(got, wanted):
            kept += list(np.argmax(a[name], 1) == np.argmax(b[name], 1))
    return float(np.mean(kept)) if kept else None


def measure(given, path):
    """Errors by output, cycles and first classes, by the way of scaling."""
    network = networks.Network(path.stem, path, given.folder / path.stem)
    calibration, judged = images_of(network, path, given.images)
    wanted = [network.expected(image) for image in judged]
    shapes = []
    for one, (shape, _) in network.inputs.items():
        shapes += ["--input-shape", f"{one}={','.join(map(str, shape))}"]
    calibrate = network.folder / "calibrate"
    network.write(calibration, calibrate)
    # Arrays of an archive have the inputs' names; a file alone is the only input.
    if len(network.inputs) == 1:
        calibrate = calibrate / "input_0.npy"
    else:
        np.savez(calibrate / "all.npz", **{name: np.concatenate([one[name] for one in calibration])
                                           for name in network.inputs})
        calibrate = calibrate / "all.npz"
    results = {}
    for scales in ("none", "weights", "auto"):
        options = ["--board", given.board, *shapes, *given.way.split()]
        if scales != "none":
            options += ["--scales", scales, "--calibrate", calibrate]
        folder = network.folder / scales
        networks.compile_network(given.program, network, folder, *options)
        got, cycles = networks.run(given.program, network, folder, folder / "run", judged, "--board",
                                   given.board)
        results[scales] = (networks.rms_errors(network, got, wanted), cycles,
                           first_classes(network, got, wanted))
    return results


def mean_square(errors):
    return math.sqrt(sum(e * e for e in errors) / len(errors))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--images", type=pathlib.Path)
    parser.add_argument("--board", default="zcu104")
    parser.add_argument("--way", default="--optimise --effort 20", help="further options of compile")
    given = parser.parse_args()
    paths = [p for one in given.models for p in (one.rglob("*.onnx") if one.is_dir() else [one])]
    print("| network | unscaled % | weights % | auto % | cycles, weights | cycles, auto | first class "
          "kept, unscaled -> auto |\n|---|---|---|---|---|---|---|")
    gains, cycles, worse = {"weights": [], "auto": []}, {"weights": [], "auto": []}, []
    kept = []
    for path in sorted(paths, key=lambda p: (p.stat().st_size, p)):
        try:
            results = measure(given, path)
        except (networks.Refused, RuntimeError) as error:
            print(f"| {path.stem} | not measured: {str(error)[:120]} |", flush=True)
            continue
        before = results["none"]
        row = [path.stem, f"{100 * mean_square(before[0]):.3g}"]
        for scales in ("weights", "auto"):
            errors, count, _ = results[scales]
            gains[scales].append(mean_square(before[0]) / max(mean_square(errors), 1e-9))
            cycles[scales].append(100 * (count / before[1] - 1))
            row.append(f"{100 * mean_square(errors):.3g}")
            if any(a > b for a, b in zip(errors, before[0])):
                worse.append(f"{path.stem} ({scales}: {gains[scales][-1]:.2f})")
        row += [f"{cycles[scales][-1]:+.1f} %" for scales in ("weights", "auto")]
        first = results["auto"][2]
        if first is not None:
            kept.append(first)
        row.append("" if first is None else f"{100 * before[2]:.0f} % -> {100 * first:.0f} %")
        print("| " + " | ".join(row) + " |", flush=True)
    for scales, values in gains.items():
        print(f"{scales}: median gain {statistics.median(values):.2f} of {len(values)} networks, least "
              f"{min(values):.2f}; cycles {statistics.median(cycles[scales]):+.1f} % in the median, "
              f"{max(cycles[scales]):+.1f} % at most")
    print(f"worse at an output: {', '.join(worse) or 'none'}")
    if kept:
        print(f"first class kept by auto: {100 * statistics.mean(kept):.1f} % on average of "
              f"{len(kept)} networks, {100 * min(kept):.0f} % at least")


if __name__ == "__main__":
    main()
