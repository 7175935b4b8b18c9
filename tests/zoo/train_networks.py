#!/usr/bin/env python3
"""Trains small networks on the handwritten digits of scikit-learn, for measure_scales.py.

    tests/zoo/train_networks.py FOLDER [NAME...]

Needs jax, scikit-learn and onnx. Writes NAME.onnx, and NAME.npy with digits that were not trained on. The
networks are no part of the repository.
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits


def conv(filters, kernel=3, stride=1, group=1, relu=True, norm=False):
    return {"op": "conv", "filters": filters, "kernel": kernel, "stride": stride, "group": group,
            "relu": relu, "norm": norm}


def dense(units, activation=None):
    return {"op": "dense", "units": units, "activation": activation}


# Numbers of a "residual" layer say how many outputs back the summand is.
NETWORKS = {
    "perceptron": (1, [{"op": "flatten"}, dense(64, "Relu"), dense(32, "Relu"), dense(10)]),
    "perceptron_tanh": (1, [{"op": "flatten"}, dense(48, "Tanh"), dense(10)]),
    "plain_cnn": (1, [conv(16), {"op": "max"}, conv(32), {"op": "max"}, {"op": "flatten"}, dense(10)]),
    "wide_inputs": (16, [conv(16), {"op": "max"}, conv(32), {"op": "max"}, {"op": "flatten"},
                         dense(10)]),
    "bytes": (255, [conv(16), conv(16, stride=2), {"op": "flatten"}, dense(10)]),
    "normalised": (1, [conv(16, norm=True), conv(24, stride=2, norm=True), {"op": "mean"}, dense(10)]),
    "separable": (1, [conv(16), conv(16, group=16), conv(32, kernel=1), {"op": "average"},
                      conv(32, group=32), conv(32, kernel=1), {"op": "mean"}, dense(10)]),
    "residual": (1, [conv(16), conv(16), conv(16, relu=False), {"op": "residual", "from": 2},
                     {"op": "average"}, conv(24), conv(24), conv(24, relu=False),
                     {"op": "residual", "from": 2}, {"op": "mean"}, dense(10)]),
    "deep": (1, [conv(12) for _ in range(8)] + [{"op": "mean"}, dense(10)]),
    "autoencoder": (1, [{"op": "flatten"}, dense(32, "Relu"), dense(8), dense(32, "Relu"), dense(64)]),
}


def initial(rng, layers):
    parameters, shape = [], [1, 8, 8]
    for layer in layers:
        one = {}
        if layer["op"] == "conv":
            inputs = shape[0] // layer["group"]
            size = [layer["filters"], inputs, layer["kernel"], layer["kernel"]]
            one = {"w": rng.normal(0, np.sqrt(2 / np.prod(size[1:])), size),
                   "b": np.zeros(layer["filters"])}
            if layer["norm"]:
                one |= {"scale": np.ones(layer["filters"]), "offset": np.zeros(layer["filters"])}
            shape = [layer["filters"], shape[1] // layer["stride"], shape[2] // layer["stride"]]
        elif layer["op"] == "dense":
            one = {"w": rng.normal(0, np.sqrt(2 / shape[0]), [shape[0], layer["units"]]),
                   "b": np.zeros(layer["units"])}
            shape = [layer["units"]]
        elif layer["op"] in ("max", "average"):
            shape = [shape[0], shape[1] // 2, shape[2] // 2]
        elif layer["op"] == "flatten":
            shape = [int(np.prod(shape))]
        elif layer["op"] == "mean":
            shape = shape[:1]
        parameters.append({k: v.astype(np.float32) for k, v in one.items()})
    return parameters


def forward(layers, parameters, x, statistics=None):
    """`statistics`: mean and variance for each layer with a normalisation; none: those of x."""
    outputs, seen = [x], []
    for layer, p in zip(layers, parameters):
        if layer["op"] == "conv":
            pad = layer["kernel"] // 2
            x = jax.lax.conv_general_dilated(x, p["w"], (layer["stride"],) * 2, [(pad, pad)] * 2,
                                             feature_group_count=layer["group"])
            x = x + p["b"][:, None, None]
            if layer["norm"]:
                mean, variance = statistics[len(seen)] if statistics else (x.mean((0, 2, 3)),
                                                                            x.var((0, 2, 3)))
                seen.append((mean, variance))
                x = (x - mean[:, None, None]) / jnp.sqrt(variance + 1e-5)[:, None, None]
                x = x * p["scale"][:, None, None] + p["offset"][:, None, None]
            x = jax.nn.relu(x) if layer["relu"] else x
        elif layer["op"] == "dense":
            x = x @ p["w"] + p["b"]
            x = {"Relu": jax.nn.relu, "Tanh": jnp.tanh, None: lambda v: v}[layer["activation"]](x)
        elif layer["op"] == "residual":
            x = jax.nn.relu(x + outputs[-1 - layer["from"]])
        elif layer["op"] in ("max", "average"):
            parts = [x[:, :, i::2, j::2] for i in (0, 1) for j in (0, 1)]
            x = jnp.stack(parts).max(0) if layer["op"] == "max" else sum(parts) / 4
        elif layer["op"] == "flatten":
            x = x.reshape(x.shape[0], -1)
        elif layer["op"] == "mean":
            x = x.mean((2, 3))
        outputs.append(x)
    return x, seen


def train(name, largest, layers, images, labels):
    """Trains with Adam on images of 0 to `largest`."""
    rng = np.random.default_rng(sum(map(ord, name)))
    parameters = initial(rng, layers)
    target = images.reshape(len(images), -1) if name == "autoencoder" else labels

    def loss(p, x, y):
        out, _ = forward(layers, p, x / largest)
        if name == "autoencoder":
            return jnp.mean((out - y) ** 2)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(out), y[:, None], 1))

    @jax.jit
    def step(p, m, v, x, y, t):
        g = jax.grad(loss)(p, x, y)
        m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
        v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
        p = jax.tree.map(lambda q, a, b: q - 0.003 * (a / (1 - 0.9 ** t)) /
                         (jnp.sqrt(b / (1 - 0.999 ** t)) + 1e-8), p, m, v)
        return p, m, v

    m = jax.tree.map(jnp.zeros_like, parameters)
    v = jax.tree.map(jnp.zeros_like, parameters)
    for t in range(1, 601):
        batch = rng.integers(0, len(images), 64)
        parameters, m, v = step(parameters, m, v, images[batch] * largest, target[batch], t)
    _, statistics = forward(layers, parameters, images)
    # The first product takes the images as they are.
    for p in parameters:
        if p:
            p["w"] = p["w"] / largest
            break
    return jax.tree.map(np.asarray, parameters), jax.tree.map(np.asarray, statistics)


def write(path, layers, parameters, statistics):
    nodes, constants, names = [], [], ["x"]

    def constant(array):
        constants.append(numpy_helper.from_array(np.asarray(array, np.float32), f"c{len(constants)}"))
        return constants[-1].name

    def node(op, inputs, **attributes):
        nodes.append(helper.make_node(op, inputs, [f"t{len(nodes)}"], name=f"n{len(nodes)}",
                                      **attributes))
        return nodes[-1].output[0]

    statistics = list(statistics)
    for layer, p in zip(layers, parameters):
        x = names[-1]
        if layer["op"] == "conv":
            x = node("Conv", [x, constant(p["w"]), constant(p["b"])], group=layer["group"],
                     strides=[layer["stride"]] * 2, pads=[layer["kernel"] // 2] * 4)
            if layer["norm"]:
                mean, variance = statistics.pop(0)
                x = node("BatchNormalization", [x] + [constant(a) for a in (
                    p["scale"], p["offset"], mean, variance)])
            x = node("Relu", [x]) if layer["relu"] else x
        elif layer["op"] == "dense":
            x = node("Gemm", [x, constant(p["w"]), constant(p["b"])])
            x = node(layer["activation"], [x]) if layer["activation"] else x
        elif layer["op"] == "residual":
            x = node("Relu", [node("Add", [x, names[-1 - layer["from"]]])])
        elif layer["op"] in ("max", "average"):
            x = node("MaxPool" if layer["op"] == "max" else "AveragePool", [x], kernel_shape=[2, 2],
                     strides=[2, 2])
        elif layer["op"] == "flatten":
            x = node("Flatten", [x])
        elif layer["op"] == "mean":
            x = node("Flatten", [node("GlobalAveragePool", [x])])
        names.append(x)
    graph = helper.make_graph(
        nodes, path.stem, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info(names[-1], TensorProto.FLOAT, None)], constants)
    onnx.save(helper.make_model(graph, ir_version=8,
                                opset_imports=[helper.make_opsetid("", 13)]), str(path))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    images = (digits.images[:, None] / 16).astype(np.float32)
    tested = 200
    for name in sys.argv[2:] or NETWORKS:
        largest, layers = NETWORKS[name]
        trained = train(name, largest, layers, images[:-tested], digits.target[:-tested])
        out, _ = forward(layers, trained[0], images[-tested:] * largest, trained[1])
        share = float(np.mean(np.argmax(np.asarray(out), 1) == digits.target[-tested:]))
        print(f"{name}: {100 * share:.1f} % of digits right" if name != "autoencoder" else name,
              flush=True)
        write(folder / f"{name}.onnx", layers, *trained)
        np.save(folder / f"{name}.npy", images[-tested:][::4] * np.float32(largest))


if __name__ == "__main__":
    main()
