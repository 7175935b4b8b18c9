#!/usr/bin/env python3
"""Compares random graphs of the compiler's operators with ONNX Runtime. By hand, as an oracle.

check_graphs.py [COUNT [FIRST]] [--keep FOLDER], with onnx, onnxruntime and tactus in the Python environment. Graph N
follows from the number N. Each is compiled plain and with optimise for a machine with the data type FP32BP16 and lookup
tables. A graph is right if no output is off by more than 1 % of its largest value. A node is left out if its result is
beyond the data type, or depends so much on its inputs that fixed point cannot have it: values with small errors go
along, and may not be off by more than 0.6 %. Graphs that are not right go to FOLDER. Exit code 1: one is wrong.
"""
import collections
import os
import re
import sys

import numpy as np
import onnx
import onnxruntime
import tactus
from onnx import TensorProto, helper, numpy_helper

MACHINE = tactus.Configuration(
    "zcu104",
    architecture={
        "array_size": 8, "data_type": "FP32BP16", "local_depth": 65536, "accumulator_depth": 16384,
        "dram0_depth": 1 << 20, "dram1_depth": 1 << 20, "stride0_depth": 8, "stride1_depth": 8,
        "simd_registers_depth": 3, "lookup_tables": {"count": 2, "depth": 4096, "key_binary_point": 8},
    },
    memory_model="fixed",
)  # fmt: skip
QUIET = onnxruntime.SessionOptions()
QUIET.log_severity_level = 4
QUIET.intra_op_num_threads = 1


class Graph:
    """Nodes, constants, and each tensor's value, also with the errors that fixed point may make."""

    def __init__(self, number):
        self.random = np.random.default_rng(number)
        self.opset = int(self.pick([13, 17, 18, 19, 20, 21, 22, 23]))
        self.nodes, self.constants, self.inputs = [], {}, {}
        self.values = collections.OrderedDict()  # name -> (value, value with errors)
        self.used = set()

    def pick(self, choices):
        return choices[int(self.random.integers(len(choices)))]

    def number(self, low, high):
        return float(np.round(self.random.uniform(low, high), 3))

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def chance(self, share=0.5):
        return bool(self.random.random() < share)

    def shuffled(self, count):
        return [int(i) for i in self.random.permutation(count)]

    def error(self, value, share):
        largest = np.abs(value).max() if value.size else 0
        return np.asarray(value + largest * share * self.random.uniform(-1, 1, value.shape), value.dtype)

    def input(self, shape):
        name = f"x{len(self.inputs)}"
        value = self.random.normal(size=shape).astype(np.float32)
        self.inputs[name] = value
        self.values[name] = (value, self.error(value, 2e-5))
        return name

    def constant(self, value, kind=np.float32):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value, dtype=kind)
        return name

    def weights(self, *shape, scale=1.0):
        return self.constant(scale * self.random.normal(size=shape))

    def numbers(self, *values):
        return self.constant(values, np.int64)

    def shape(self, name):
        return self.values[name][0].shape

    def real(self, rank=None, smallest=1):
        """A tensor of real numbers of one of these ranks, one of the last more often than one of the first."""
        ranks = range(1, 5) if rank is None else rank if isinstance(rank, tuple) else (rank,)
        names = [n for n, (v, _) in self.values.items()
                 if v.dtype == np.float32 and v.ndim in ranks and min(v.shape) >= smallest]
        if not names:
            raise NoSuchTensor
        return names[min(int(self.random.triangular(0, len(names), len(names))), len(names) - 1)]

    def axis(self, name):
        rank = len(self.shape(name))
        axis = self.integer(0, rank - 1)
        return axis - rank if self.chance() else axis

    def add(self, kind, inputs, outputs=1, domain="", off=None, **attributes):
        """Adds a node if its results can be held; returns the outputs' names, else raises. `off` is the first result as
        the unit may have it, where that follows from other rules."""
        names = [f"t{len(self.nodes)}_{i}" for i in range(outputs)]
        node = helper.make_node(kind, inputs, names, f"{kind}_{len(self.nodes)}", domain=domain, **attributes)
        results = [self.evaluate(node, which) for which in (0, 1)]
        values = []
        results[1] = results[1] if off is None else [off, *results[1][1:]]
        for exact, off in zip(*results):
            if exact.size == 0 or exact.size > 20000:
                raise NotHeld
            if exact.dtype == np.float32:
                largest = np.abs(exact).max()
                if not np.isfinite(exact).all() or not np.isfinite(off).all() or largest > 500 or largest < 0.02:
                    raise NotHeld
                off = self.error(off, 1e-4)
                if np.abs(exact - off).max() > 0.006 * largest:
                    raise NotHeld
            elif kind != "QuantizeLinear" and not np.array_equal(exact, off):
                raise NotHeld
            values.append((exact, off))
        self.nodes.append(node)
        self.used.update(inputs)
        self.values.update(zip(names, values))
        return names

    def evaluate(self, node, which):
        given = {n: self.values[n][which] for n in node.input if n in self.values}
        model = self.model([node], given, node.output, False)
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), QUIET, ["CPUExecutionProvider"])
            return [np.asarray(result) for result in session.run(None, given)]
        except Exception as problem:  # what ONNX Runtime lacks
            raise NotHeld from problem

    def model(self, nodes, given, outputs, typed=True):
        def declared(name, value):
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)

        wanted = [declared(n, self.values[n][0]) if typed else helper.make_empty_tensor_value_info(n) for n in outputs]
        names = {n for node in nodes for n in node.input}
        constants = [numpy_helper.from_array(v, n) for n, v in self.constants.items() if n in names]
        graph = helper.make_graph(nodes, "random", [declared(n, v) for n, v in given.items()], wanted, constants)
        sets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=sets, ir_version=9 if self.opset < 21 else 10)

    def whole(self):
        ends = [n for n in self.values if n not in self.used and n not in self.inputs]
        given = {n: v for n, v in self.inputs.items() if n in self.used}
        return self.model(self.nodes, given, ends), given


class NotHeld(Exception):
    """The node's result cannot be held."""


class NoSuchTensor(Exception):
    """No tensor fits the operator."""


# ---- operators: each adds nodes of its kind ---------------------------------------------------------------------

def unary(*kinds, **attributes):
    def make(g):
        g.add(g.pick(kinds), [g.real()], **{name: rule(g) for name, rule in attributes.items()})
    return make


def positive(*kinds):
    def make(g):
        x = g.add("Abs", [g.real()])[0]
        g.add(g.pick(kinds), g.add("Add", [x, g.constant(g.number(0.3, 2))]))
    return make


def binary(*kinds):
    def make(g):
        x, kind = g.real(), g.pick(kinds)
        shape = g.shape(x)
        same = [n for n, (v, _) in g.values.items() if v.dtype == np.float32 and v.shape == shape]
        form = g.integer(0, 3)
        if form == 0:
            other = g.pick(same)
        elif form == 1:
            other = g.weights(*[s if g.chance(0.7) else 1 for s in shape[g.integer(0, len(shape) - 1):]])
        elif form == 2:
            other = g.constant(g.number(-2, 2))
        else:
            other = g.real()
        pair = [x, other] if g.chance(0.7) else [other, x]
        if kind == "Div" and pair[1] in g.values:
            pair[1] = g.add("Add", [g.add("Abs", [pair[1]])[0], g.constant(0.5)])[0]
        g.add(kind, pair)
    return make


def several(*kinds):
    def make(g):
        x = g.real()
        same = [n for n, (v, _) in g.values.items() if v.dtype == np.float32 and v.shape == g.shape(x)]
        g.add(g.pick(kinds), [x] + [g.pick(same) for _ in range(g.integer(0, 3))])
    return make


def clip(g):
    low = g.number(-1.5, 0.2)
    g.add("Clip", [g.real(), g.constant(low), g.constant(low + g.number(0.3, 2))])


def power(g):
    exponent = g.pick([2.0, 3.0, 0.5, 1.5, -1.0, 1.0, 4.0])
    x = g.real()
    if exponent not in (1.0, 2.0, 3.0, 4.0):
        x = g.add("Add", [g.add("Abs", [x])[0], g.constant(0.4)])[0]
    g.add("Pow", [x, g.constant(exponent)])


def p_relu(g):
    x = g.real((2, 3, 4))
    g.add("PRelu", [x, g.weights(g.shape(x)[1], *[1] * (len(g.shape(x)) - 2), scale=0.3)])


def windows(g, size, dims):
    kernel = [g.integer(1, min(4, s)) for s in size]
    options = {"kernel_shape": kernel, "strides": [g.integer(1, 3) for _ in range(dims)]}
    form = g.integer(0, 3)
    if form == 0:
        options["auto_pad"] = g.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif form == 1:
        options["pads"] = [g.integer(0, k - 1) for k in kernel] + [g.integer(0, k - 1) for k in kernel]
    return options


def conv(g):
    x = g.real((3, 4))
    channels, size = g.shape(x)[1], g.shape(x)[2:]
    groups = g.pick([d for d in (1, 2, channels) if channels % d == 0])
    options = windows(g, size, len(size))
    if g.chance(0.2) and "auto_pad" not in options:
        options["dilations"] = [2 if 2 * (k - 1) < s else 1 for k, s in zip(options["kernel_shape"], size)]
    made = groups * g.integer(1, 5)
    fan = channels // groups * int(np.prod(options["kernel_shape"]))
    inputs = [x, g.weights(made, channels // groups, *options["kernel_shape"], scale=fan ** -0.5)]
    g.add("Conv", inputs + ([g.weights(made)] if g.chance() else []), group=groups, **options)


def conv_transpose(g):
    x = g.real((3, 4))
    channels, size = g.shape(x)[1], g.shape(x)[2:]
    groups = g.pick([d for d in (1, 2) if channels % d == 0])
    kernel, strides = [g.integer(1, 3) for _ in size], [g.integer(1, 2) for _ in size]
    options = {"kernel_shape": kernel, "strides": strides, "group": groups}
    if g.chance(0.4):
        options["pads"] = [min(1, k - 1) for k in kernel] * 2
    if g.chance(0.3):
        options["output_padding"] = [s - 1 for s in strides]
    scale = (channels * np.prod(kernel)) ** -0.5
    g.add("ConvTranspose", [x, g.weights(channels, g.integer(1, 4), *kernel, scale=scale)],
          **options)


def pool(g):
    x = g.real((3, 4), 2)
    size = g.shape(x)[2:]
    kind = g.pick(["MaxPool", "AveragePool", "MaxPool", "AveragePool", "LpPool"])
    options = windows(g, size, len(size))
    if g.chance(0.3) and "auto_pad" not in options and kind != "LpPool":
        options["ceil_mode"] = 1
    if kind == "AveragePool" and g.chance():
        options["count_include_pad"] = 1
    if kind == "LpPool":
        options["p"] = g.pick([1, 2])
    g.add(kind, [x], **options)


def global_pool(g):
    g.add(g.pick(["GlobalAveragePool", "GlobalMaxPool"]), [g.real((3, 4))])


def gemm(g):
    x = g.real(2)
    rows, inner = g.shape(x)
    turned_a, turned_b = g.chance(0.2), g.chance()
    if turned_a:
        rows, inner = inner, rows
    made = g.integer(1, 20)
    b = g.weights(*((made, inner) if turned_b else (inner, made)), scale=inner ** -0.5)
    bias = [g.weights(*g.pick([(made,), (1, made), (rows, 1), (1,), (rows, made)]))] if g.chance(0.7) else []
    options = {"alpha": g.number(0.3, 1.5), "beta": g.number(0.3, 1.5)} if g.chance(0.3) else {}
    g.add("Gemm", [x, b] + bias, transA=int(turned_a), transB=int(turned_b), **options)


def mat_mul(g):
    x = g.real()
    shape = g.shape(x)
    inner = shape[-1]
    if g.chance(0.6):
        batch = [shape[0]] if len(shape) == 3 and g.chance(0.3) else []
        g.add("MatMul", [x, g.weights(*batch, inner, g.integer(1, 12), scale=inner ** -0.5)])
        return
    if len(shape) < 2:
        raise NoSuchTensor
    order = list(range(len(shape)))
    order[-2:] = order[-1], order[-2]
    turned = g.add("Transpose", [x], perm=order)[0]
    scaled = g.add("Mul", [turned, g.constant(inner ** -0.5)])[0]
    g.add("MatMul", [x, scaled] if g.chance() else [scaled, x])


def einsum(g):
    x = g.real(3)
    a, b, c = g.shape(x)
    rule, shape = g.pick([("abc,cd->abd", (c, 5)), ("abc,bcd->ad", (b, c, 3)), ("abc,abc->ab", (a, b, c)),
                          ("abc,db->acd", (4, b)), ("abc->cab", None), ("abc->b", None)])
    inputs = [x] if shape is None else [x, g.weights(*shape, scale=(b * c) ** -0.5)]
    g.add("Einsum", inputs, equation=rule)


def normalisation(g):
    kind = g.pick(["BatchNormalization", "InstanceNormalization", "LayerNormalization", "GroupNormalization",
                   "RMSNormalization", "LpNormalization", "MeanVarianceNormalization", "LRN"])
    if kind in ("LayerNormalization", "RMSNormalization"):
        x = g.real((2, 3, 4), 2 if kind[0] == "R" else 1)
        axis = g.integer(1, len(g.shape(x)) - 1)
        kept = g.shape(x)[axis:]
        bias = [g.weights(*kept)] if kind[0] == "L" and g.chance() else []
        g.add(kind, [x, g.weights(*kept)] + bias, axis=axis)
        return
    if kind == "LpNormalization":
        x = g.real()
        axis, value = g.axis(x), g.values[x][0]
        if (value * value).sum(axis).min() < 0.01:
            raise NotHeld  # squares of so few steps of the data type
        g.add(kind, [x], axis=axis, p=g.pick([1, 2]))
        return
    x = g.real(4 if kind in ("MeanVarianceNormalization", "LRN") else (3, 4))
    channels = g.shape(x)[1]
    if kind == "BatchNormalization":
        g.add(kind, [x, g.weights(channels), g.weights(channels), g.weights(channels, scale=0.3),
                     g.constant(g.random.uniform(0.3, 2, channels))])
    elif kind == "InstanceNormalization":
        g.add(kind, [x, g.weights(channels), g.weights(channels)])
    elif kind == "GroupNormalization":
        groups = g.pick([d for d in range(1, channels + 1) if channels % d == 0])
        count = channels if g.opset >= 21 else groups
        g.add(kind, [x, g.weights(count), g.weights(count)], num_groups=groups)
    elif kind == "LRN":
        g.add(kind, [x], size=g.pick([1, 3, 5]), alpha=g.number(0.01, 1))
    else:
        g.add(kind, [x])


def softmax(g):
    x = g.real()
    g.add(g.pick(["Softmax", "LogSoftmax"]), [x], axis=g.axis(x))


def reduce(g):
    x = g.real()
    kind = "Reduce" + g.pick(["Sum", "Mean", "Max", "Min", "L1", "L2", "SumSquare", "LogSumExp"])
    axes = sorted(g.shuffled(len(g.shape(x)))[:g.integer(1, len(g.shape(x)))])
    keep = int(g.chance())
    if g.opset >= 18 or kind == "ReduceSum":
        g.add(kind, [x, g.numbers(*axes)], keepdims=keep)
    else:
        g.add(kind, [x], axes=axes, keepdims=keep)


def divided(g, size):
    """Factors of a size, as dimensions of a new shape."""
    factors = []
    while size > 1 and len(factors) < 3:
        factor = g.pick([d for d in range(2, size + 1) if size % d == 0])
        factors.append(factor)
        size //= factor
    return factors + [size] if size > 1 or not factors else factors


def reshape(g):
    x = g.real()
    form = g.integer(0, 3)
    shape = g.shape(x)
    if form == 0:
        g.add("Flatten", [x], axis=g.integer(0, len(shape)))
    elif form == 1:
        g.add("Unsqueeze", [x, g.numbers(g.integer(0, len(shape)))])
    elif form == 2 and 1 in shape and len(shape) > 1:
        g.add("Squeeze", [x, g.numbers(g.pick([i for i, s in enumerate(shape) if s == 1]))])
    else:
        new = divided(g, int(np.prod(shape)))
        new += [1] if g.chance(0.2) else []
        new = [1] + new if g.chance(0.4) else new
        if g.chance(0.3):
            new[g.integer(0, len(new) - 1)] = -1
        g.add("Reshape", [x, g.numbers(*new)])


def transpose(g):
    x = g.real((2, 3, 4))
    g.add("Transpose", [x], perm=g.shuffled(len(g.shape(x))))


def concat(g):
    x = g.real()
    shape, axis = g.shape(x), g.axis(x)
    fitting = [n for n, (v, _) in g.values.items() if v.dtype == np.float32 and v.ndim == len(shape)
               and all(a == b for i, (a, b) in enumerate(zip(v.shape, shape)) if i != axis % len(shape))]
    parts = [x] + [g.pick(fitting) for _ in range(g.integer(1, 2))]
    if g.chance(0.2):
        parts.append(g.weights(*shape))
    g.add("Concat", parts, axis=axis)


def split(g):
    x = g.real()
    axis = g.axis(x)
    size = g.shape(x)[axis]
    if size < 2:
        raise NoSuchTensor
    at = g.integer(1, size - 1)
    g.add("Split", [x, g.numbers(at, size - at)], 2, axis=axis)


def slices(g):
    x = g.real()
    axis = g.axis(x)
    size = g.shape(x)[axis]
    step = g.pick([1, 1, 2, -1, -2])
    start, end = (g.integer(0, size - 1), 1000) if step > 0 else (g.integer(0, size - 1), -1000)
    g.add("Slice", [x, g.numbers(start), g.numbers(end), g.numbers(axis), g.numbers(step)])


def pad(g):
    x = g.real()
    shape = g.shape(x)
    mode = g.pick(["constant", "reflect", "edge"])
    limits = [2 if mode != "reflect" else min(2, s - 1) for s in shape]
    pads = [g.integer(0, m) if g.chance() else 0 for m in limits + limits]
    value = [g.constant(g.number(-1, 1))] if mode == "constant" and g.chance() else []
    g.add("Pad", [x, g.numbers(*pads)] + value, mode=mode)


def gather(g):
    x = g.real()
    axis = g.axis(x)
    size = g.shape(x)[axis]
    indices = g.random.integers(-size, size, g.pick([(), (1,), (3,), (2, 2)]))
    kind = g.pick(["Gather", "Gather", "GatherElements", "ScatterElements", "GatherND"])
    if kind == "Gather":
        g.add(kind, [x, g.constant(indices, np.int64)], axis=axis)
    elif kind == "GatherND":
        g.add(kind, [x, g.constant(indices.reshape(-1, 1) % g.shape(x)[0], np.int64)])
    else:
        shape = [g.integer(1, s) for s in g.shape(x)]
        if kind == "ScatterElements":  # each place once
            shape[axis] = min(shape[axis], size)
            all_places = [size if i == axis % len(shape) else s for i, s in enumerate(shape)]
            order = np.argsort(g.random.random(all_places), axis)
            indices = np.take(order, range(shape[axis]), axis)
            g.add(kind, [x, g.constant(indices, np.int64), g.weights(*shape)], axis=axis)
        else:
            g.add(kind, [x, g.constant(g.random.integers(-size, size, shape), np.int64)], axis=axis)


def expand(g):
    x = g.real()
    if g.chance():
        g.add("Tile", [x, g.numbers(*[g.integer(1, 2) for _ in g.shape(x)])])
    else:
        shape = [g.integer(1, 3) if s == 1 else s for s in g.shape(x)]
        g.add("Expand", [x, g.numbers(*([g.integer(1, 2)] if len(shape) < 4 and g.chance(0.3) else []), *shape)])


def depth(g):
    x = g.real(4)
    _, channels, high, wide = g.shape(x)
    if channels % 4 == 0 and g.chance():
        g.add("DepthToSpace", [x], blocksize=2, mode=g.pick(["DCR", "CRD"]))
    elif high % 2 == 0 and wide % 2 == 0:
        g.add("SpaceToDepth", [x], blocksize=2)
    else:
        raise NoSuchTensor


def resize(g):
    x = g.real((3, 4))
    mode = g.pick(["nearest", "linear", "linear", "cubic"])
    shape = g.shape(x)
    if mode == "cubic" and len(shape) != 4:
        mode = "linear"
    options = {"mode": mode, "coordinate_transformation_mode": g.pick(["half_pixel", "asymmetric", "align_corners",
                                                                       "pytorch_half_pixel"])}
    if mode == "nearest":
        options["nearest_mode"] = g.pick(["floor", "round_prefer_floor", "ceil"])
    sizes = [*shape[:2], *[max(1, g.integer(s // 2, 2 * s + 1)) for s in shape[2:]]]
    if g.chance():
        g.add("Resize", [x, "", "", g.numbers(*sizes)], **options)
    else:
        scales = [1.0, 1.0] + [g.pick([0.5, 2.0, 1.5, 3.0]) for _ in shape[2:]]
        g.add("Resize", [x, "", g.constant(scales)], **options)


def cum_sum(g):
    x = g.real()
    g.add("CumSum", [x, g.constant(g.axis(x), np.int64)], exclusive=int(g.chance(0.3)), reverse=int(g.chance(0.3)))


def recurrent(g):
    x = g.real(3)
    steps, _, width = g.shape(x)
    if steps > 8:
        raise NoSuchTensor
    kind = g.pick(["LSTM", "GRU", "RNN"])
    gates, hidden = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind], g.integer(1, 9)
    way = g.pick(["forward", "reverse", "bidirectional"])
    count = 2 if way == "bidirectional" else 1
    inputs = [x, g.weights(count, gates * hidden, width, scale=width ** -0.5),
              g.weights(count, gates * hidden, hidden, scale=hidden ** -0.5)]
    if g.chance():
        inputs.append(g.weights(count, 2 * gates * hidden, scale=0.3))
    options = {"linear_before_reset": 1} if kind == "GRU" and g.chance() else {}
    g.add(kind, inputs, g.integer(1, 2), hidden_size=hidden, direction=way, **options)


def attention(g):
    x = g.real(3)
    width = g.shape(x)[-1]
    heads = g.pick([h for h in (1, 2, 4) if width % h == 0])
    q, k, v = (g.add("MatMul", [x, g.weights(width, width, scale=width ** -0.5)])[0] for _ in range(3))
    g.add("Attention", [q, k, v], q_num_heads=heads, kv_num_heads=heads, is_causal=int(g.chance()))


def where(g):
    x = g.real()
    same = [n for n, (v, _) in g.values.items() if v.dtype == np.float32 and v.shape == g.shape(x)]
    other = g.pick(same) if g.chance() else g.constant(g.number(-0.5, 0.5))
    condition = g.add(g.pick(["Greater", "Less", "GreaterOrEqual", "LessOrEqual"]), [x, other])[0]
    if g.chance(0.3):
        condition = g.add("Not", [condition])[0]
    g.add("Where", [condition, g.pick(same), g.pick([g.pick(same), g.constant(0)])])


def quantised(g):
    """A pair is a clip for the compiler: values are not rounded to its steps."""
    x = g.real()
    exact, off = g.values[x]
    scale = np.float32(np.abs(exact).max() / 120)
    pair = [g.constant(scale), g.constant(0, np.int8)]
    steps = g.add("QuantizeLinear", [x, *pair])
    g.add("DequantizeLinear", [*steps, *pair], off=np.clip(off, -128 * scale, 127 * scale))


def places(g):
    x = g.real()
    if g.chance():
        g.add(g.pick(["ArgMax", "ArgMin"]), [x], axis=g.axis(x), keepdims=int(g.chance()))
    else:
        axis = g.axis(x)
        g.add("TopK", [x, g.numbers(g.integer(1, g.shape(x)[axis]))], 2, axis=axis, largest=int(g.chance(0.7)))


def trilu(g):
    g.add("Trilu", [g.real((2, 3, 4)), g.constant(g.integer(-2, 2), np.int64)], upper=int(g.chance()))


def grid_sample(g):
    x = g.real(4)
    grid = g.constant(g.random.uniform(-1.1, 1.1, (g.shape(x)[0], g.integer(1, 4), g.integer(1, 4), 2)))
    modes = ["linear", "nearest"] if g.opset >= 20 else ["bilinear", "nearest"]
    g.add("GridSample", [x, grid], mode=g.pick(modes), padding_mode=g.pick(["zeros", "border", "reflection"]),
          align_corners=int(g.chance()))


def runtime(g):
    x = g.real(3)
    width = g.shape(x)[-1]
    kind = g.pick(["BiasGelu", "FastGelu", "QuickGelu", "SkipLayerNormalization", "FusedMatMul"])
    if kind == "BiasGelu":
        g.add(kind, [x, g.weights(width)], domain="com.microsoft")
    elif kind == "FusedMatMul":
        g.add(kind, [x, g.weights(width, 4, scale=width ** -0.5)], domain="com.microsoft", alpha=g.number(0.5, 1.5))
    elif kind == "SkipLayerNormalization":
        g.add(kind, [x, x, g.weights(width)], domain="com.microsoft", epsilon=1e-5)
    else:
        g.add(kind, [x], domain="com.microsoft")


def rotary(g):
    x = g.real(4)
    _, _, steps, width = g.shape(x)
    if width % 2:
        raise NoSuchTensor
    angles = g.random.uniform(-3, 3, (1, steps, width // 2))
    g.add("RotaryEmbedding", [x, g.constant(np.cos(angles)), g.constant(np.sin(angles))], interleaved=int(g.chance()))


def cast(g):
    x = g.real()
    half = g.add("Cast", [x], to=TensorProto.FLOAT16)[0]
    g.add("Cast", [half], to=TensorProto.FLOAT)


def reverse(g):
    x = g.real((2, 3, 4))
    steps, batch = g.shape(x)[:2]
    g.add("ReverseSequence", [x, g.numbers(*g.random.integers(1, steps + 1, batch))], batch_axis=1, time_axis=0)


OPERATORS = [
    (unary("Relu", "Sigmoid", "Tanh", "Erf", "HardSwish", "Softplus", "Softsign", "Exp", "Abs", "Neg", "Identity",
           "Mish"), 8),
    (unary("Floor", "Ceil", "Round", "Sign"), 1), (unary("Sin", "Cos", "Atan"), 1),
    (unary("LeakyRelu", "Elu", "Celu", "ThresholdedRelu", alpha=lambda g: g.number(0.05, 1.2)), 2), (unary("Selu"), 1),
    (unary("HardSigmoid", alpha=lambda g: g.number(0.1, 0.5), beta=lambda g: g.number(0.2, 0.7)), 1),
    (unary("Gelu", approximate=lambda g: g.pick(["none", "tanh"])), 1),
    (unary("Swish", alpha=lambda g: g.number(0.5, 2)), 1),
    (unary("Shrink", bias=lambda g: g.number(0, 0.5), lambd=lambda g: g.number(0, 0.5)), 1),
    (positive("Log", "Sqrt", "Reciprocal"), 2), (binary("Add", "Sub", "Mul", "Div"), 8),
    (several("Max", "Min", "Sum", "Mean"), 3), (clip, 1), (power, 2), (p_relu, 1), (conv, 6), (conv_transpose, 2),
    (pool, 4), (global_pool, 1), (gemm, 3), (mat_mul, 5), (einsum, 1), (normalisation, 5), (softmax, 2), (reduce, 4),
    (reshape, 5), (transpose, 3), (concat, 3), (split, 2), (slices, 3), (pad, 2), (gather, 3), (expand, 2), (depth, 1),
    (resize, 2), (cum_sum, 1), (recurrent, 2), (attention, 1), (where, 1), (quantised, 1), (places, 1), (trilu, 1),
    (grid_sample, 1), (runtime, 1), (rotary, 1), (cast, 1), (reverse, 1),
]  # fmt: skip
WEIGHTS = np.array([weight for _, weight in OPERATORS]) / sum(weight for _, weight in OPERATORS)


def random_graph(number):
    g = Graph(number)
    for _ in range(g.integer(1, 2)):
        rank = g.pick([2, 3, 4, 4])
        shape = [g.pick([1, 1, 1, 2]), *[g.integer(1, 12) for _ in range(rank - 1)]]
        g.input(shape)
    wanted = g.integer(2, 10)
    for _ in range(60):
        if len(g.nodes) >= wanted:
            break
        before = len(g.nodes), set(g.used)
        try:
            OPERATORS[g.random.choice(len(OPERATORS), p=WEIGHTS)][0](g)
        except (NotHeld, NoSuchTensor):
            for node in g.nodes[before[0]:]:
                for name in node.output:
                    del g.values[name]
            del g.nodes[before[0]:]
            g.used = before[1]
    if g.chance():  # what a product depends on is not left to the host
        for name in [n for n, (v, _) in g.values.items() if n not in g.used and v.dtype == np.float32 and v.ndim > 0]:
            inner = g.shape(name)[-1]
            try:
                g.add("MatMul", [name, g.weights(inner, g.integer(1, 5), scale=inner ** -0.5)])
            except NotHeld:
                continue
    return g


def compare(model, inputs, expected, optimise):
    """Returns "right", "wrong: ..." or "refused: ..."."""
    try:
        made = tactus.compile(model, MACHINE, optimise=optimise)
        run = tactus.run(made, inputs, MACHINE)
    except tactus.Error as problem:
        return f"refused: {problem}"
    for (name, got), value in zip(run.outputs.items(), expected):
        if value.dtype == np.float32:
            off = np.abs(np.asarray(got).reshape(value.shape) - value).max() / np.abs(value).max()
            if not off < 0.01:
                return f"wrong: {name} by {off:.4f}"
        elif not np.array_equal(np.asarray(got).reshape(value.shape), value):
            return f"wrong: {name}, other integers"
    return "right"


def main():
    folder, arguments = None, sys.argv[1:]
    if "--keep" in arguments:
        at = arguments.index("--keep")
        folder = arguments[at + 1]
        del arguments[at:at + 2]
        os.makedirs(folder, exist_ok=True)
    count, first = [int(a) for a in arguments + ["1000", "0"][len(arguments):]]
    verdicts, operators, reasons = collections.Counter(), collections.Counter(), collections.Counter()
    for number in range(first, first + count):
        g = random_graph(number)
        if not g.nodes:
            continue
        model, inputs = g.whole()
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), QUIET, ["CPUExecutionProvider"])
        except Exception:  # shapes that ONNX Runtime infers contradict what its operators give
            verdicts["refused by ONNX Runtime"] += 1
            continue
        expected = session.run(None, inputs)
        for optimise in (False, True):
            verdict = compare(model, inputs, expected, optimise)
            verdicts[verdict.split(":")[0]] += 1
            if verdict == "right":
                continue
            print(f"{number:6} {'optimised' if optimise else 'plain':10}{verdict[:600]}", flush=True)
            if verdict[0] == "r":
                first = re.sub(r"\S*ModelProto.onnx: ", "", verdict.splitlines()[0])
                reasons[re.sub(r"[0-9]+|'[^']*'|\"[^\"]*\"", "#", first)[:140]] += 1
            if folder:
                onnx.save(model, f"{folder}/{number}.onnx")
        operators.update(node.op_type for node in g.nodes)
    print(dict(sorted(operators.items())))
    for reason, times in reasons.most_common():
        print(f"{times:6} {reason}")
    print(", ".join(f"{times} {verdict}" for verdict, times in sorted(verdicts.items())))
    sys.exit("wrong" in verdicts)


main()
