"""Networks with inputs, outputs by ONNX Runtime, and calls of the program, for the scripts beside this file."""
import json
import pathlib
import re
import subprocess

import numpy as np
import onnx
import onnxruntime as ort

ort.set_default_logger_severity(4)


TYPES = ("FP16BP8", "FP18BP10", "FP32BP16")


class Refused(Exception):
    """The program does not take the network; the text is its first error."""


def call(program, *arguments, expected=(0,)):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                          check=False)
    if done.returncode == 2 and 2 not in expected:
        raise Refused((done.stderr.strip() or done.stdout.strip()).splitlines()[0][:200])
    if done.returncode not in expected:
        raise RuntimeError(f"{arguments}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return done


class Network:
    """A model with the sizes of open dimensions set: batch 1, images 64, others 16."""

    def __init__(self, name, path, folder):
        self.name = name
        model = onnx.load(str(path))
        constants = {one.name for one in model.graph.initializer}
        self.inputs = {}
        for one in model.graph.input:
            if one.name in constants:
                continue
            dims = one.type.tensor_type.shape.dim
            shape = [d.dim_value if d.dim_value > 0 else (1 if i == 0 else 64 if len(dims) == 4 else 16)
                     for i, d in enumerate(dims)]
            for d, size in zip(dims, shape):
                d.dim_value = size
            kind = onnx.helper.tensor_dtype_to_np_dtype(one.type.tensor_type.elem_type)
            self.inputs[one.name] = (shape, kind)
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "model.onnx"
        onnx.save(model, str(self.path))
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        self.session = ort.InferenceSession(str(self.path), options,
                                            providers=["CPUExecutionProvider"])
        self.outputs = [one.name for one in self.session.get_outputs()]

    def expected(self, image):
        """Outputs by ONNX Runtime of an image, which is an array for each input."""
        return dict(zip(self.outputs, self.session.run(self.outputs, image)))

    def write(self, images, folder):
        """Writes images one behind the other; returns the options that give them to the program."""
        folder.mkdir(parents=True, exist_ok=True)
        options = []
        for i, name in enumerate(self.inputs):
            path = folder / f"input_{i}.npy"
            np.save(path, np.concatenate([np.asarray(image[name]) for image in images])
                    if len(images) > 1 else images[0][name])
            options += ["--input", f"{name}={path}"]
        return options

    def drawn(self, count, seed, low=-1.0, high=1.0, smooth=False):
        """Images of uniform values, or of smooth ones as pictures have them."""
        rng = np.random.default_rng(seed)
        images = []
        for _ in range(count):
            image = {}
            for name, (shape, kind) in self.inputs.items():
                if np.issubdtype(kind, np.integer):
                    values = rng.integers(0, 2, shape)
                else:
                    values = rng.uniform(low, high, shape)
                    if smooth and len(shape) == 4:
                        values = low + (high - low) * pictures(rng, shape)
                image[name] = values.astype(kind)
            images.append(image)
        return images


def pictures(rng, shape):
    """Values from 0 to 1: waves of a few random directions and lengths, with a bit of noise."""
    n, a, b, c = shape
    last = c <= 4  # channels
    height, width, channels = (a, b, c) if last else (b, c, a)
    y, x = np.mgrid[0:height, 0:width] / max(height, width)
    result = np.zeros((n, channels, height, width))
    for i in range(n):
        for k in range(channels):
            for _ in range(6):
                fy, fx = rng.normal(0, 4, 2)
                result[i, k] += rng.normal() * np.sin(2 * np.pi * (fy * y + fx * x + rng.uniform()))
            result[i, k] += rng.normal(0, 0.1, (height, width))
    result -= result.min()
    result /= max(result.max(), 1e-9)
    return np.moveaxis(result, 1, -1) if last else result


def compile_network(program, network, folder, *options, codes=(0,)):
    """Compiles; returns what was printed and the exit code."""
    done = call(program, "compile", network.path, "-o", folder, *options, expected=codes)
    return done.stdout, done.returncode


def run(program, network, compiled, folder, images, *options):
    """Simulates images; returns the outputs of each, and the cycles of one image."""
    model = next(pathlib.Path(compiled).glob("*.tmodel"))
    results, cycles = [], 0
    for image in images:
        inputs = network.write([image], folder)
        call(program, "run", "--model", model, *inputs, "-o", folder / "out", "--stats",
             folder / "stats.json", *options)
        found = {re.sub(r"[^A-Za-z0-9]", "_", path.stem): np.load(path)
                 for path in (folder / "out").glob("*.npy")}
        results.append({name: found[re.sub(r"[^A-Za-z0-9]", "_", name)]
                        for name in network.outputs})
        cycles = json.loads((folder / "stats.json").read_text())["cycles"]
    return results, cycles


def rms_errors(network, got, wanted):
    """RMS error of each output over images, relative to the range of its values and 0."""
    errors = []
    for name in network.outputs:
        a = np.concatenate([np.asarray(one[name], np.float64).ravel() for one in got])
        b = np.concatenate([np.asarray(one[name], np.float64).ravel() for one in wanted])
        spread = max(b.max(), 0) - min(b.min(), 0)
        errors.append(float(np.sqrt(np.mean((a - b) ** 2)) / max(spread, 2.0 ** -16)))
    return errors


def architecture(folder, kind, tables):
    """A machine of large memories."""
    machine = {"data_type": kind, "array_size": 16, "dram0_depth": 1 << 22, "dram1_depth": 1 << 22,
               "local_depth": 1 << 15, "accumulator_depth": 1 << 13,
               "simd_registers_depth": 3 if tables else 1, "stride0_depth": 8, "stride1_depth": 8,
               "number_of_threads": 1, "thread_queue_depth": 8}
    if tables:
        machine["lookup_tables"] = {"count": 2, "depth": 256, "key_binary_point": 4}
    path = folder / f"{kind}{'_tables' if tables else ''}.tarch"
    path.write_text(json.dumps(machine))
    return path


def models(program, source, folder):
    """Names and files of the networks."""
    if source == "zoo":
        listed = call(program, "zoo").stdout.splitlines()[1:]
        for name in [line.split()[0] for line in listed]:
            path = folder / f"{name}.onnx"
            call(program, "zoo", name, "-o", path)
            yield name, path
        return
    for path in sorted(pathlib.Path(source).rglob("*.onnx"), key=lambda p: (p.stat().st_size, p)):
        yield path.parent.name if path.stem == "model" else path.stem, path
