#!/usr/bin/env python3
"""Draws small graphs over all operators, with the outputs of ONNX Runtime, for check_cases_test.cpp.

    tests/zoo/make_check_cases.py check_cases [COUNT]

Needs onnx and onnxruntime. Each case is a folder of model.onnx and, in the model's order,
input_K.npy and output_K.npy. Weights and inputs are multiples of 1/64, so that the archive is small:

    tests/golden/pack.sh check_cases tests/golden/check_cases.tar.xz
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper


class Draw:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.constants, self.inputs = [], [], []
        self.count = 0

    def name(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def values(self, shape, scale=1.0):
        return (np.round(self.rng.standard_normal(shape) * scale * 64) / 64).astype(np.float32)

    def constant(self, array):
        name = self.name("c")
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, inputs, shape, outputs=1, domain="", **attributes):
        names = [self.name(op.lower()) for _ in range(outputs)]
        self.nodes.append(
            helper.make_node(op, inputs, names, name=self.name("n"), domain=domain, **attributes))
        return names[0], shape


def elementwise(d, x, shape):
    op = d.pick("Relu", "LeakyRelu", "Sigmoid", "Tanh", "Erf", "Gelu", "HardSigmoid", "HardSwish",
                "Elu", "Celu", "Selu", "Softplus", "Softsign", "Mish", "Abs", "Neg", "Identity")
    return d.node(op, [x], shape)


def positive(d, x, shape):
    y, _ = d.node("Abs", [x], shape)
    y, _ = d.node("Add", [y, d.constant(np.float32(0.5))], shape)
    return d.node(d.pick("Sqrt", "Log", "Reciprocal"), [y], shape)


def with_constant(d, x, shape):
    op = d.pick("Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu")
    per_channel = [shape[1]] + [1] * (len(shape) - 2)
    c = d.values(d.pick([], per_channel) if op != "PRelu" else per_channel)
    if op == "Div":
        c = np.where(np.abs(c) < 0.5, np.float32(1.5), c).astype(np.float32)
    return d.node(op, [x, d.constant(c)], shape)


def with_other(d, x, shape):
    y, _ = elementwise(d, x, shape)
    return d.node(d.pick("Add", "Sub", "Mul", "Max", "Min"), [x, y], shape)


def clip(d, x, shape):
    return d.node("Clip", [x, d.constant(np.float32(-0.5)), d.constant(np.float32(1.25))], shape)


def power(d, x, shape):
    return d.node("Pow", [x, d.constant(np.float32(d.pick(1, 2, 3)))], shape)


def convolution(d, x, shape):
    kernel, group = d.pick(1, 3), d.pick(1, 1, 2)
    m = 2 * d.pick(2, 4)
    w = d.values([m, shape[1] // group] + [kernel] * (len(shape) - 2),
                 1 / np.sqrt(shape[1] / group * kernel**(len(shape) - 2)))
    inputs = [x, d.constant(w)]
    if d.pick(True, False):
        inputs.append(d.constant(d.values([m])))
    y, s = d.node("Conv", inputs, [shape[0], m] + shape[2:], group=group,
                  pads=[kernel // 2] * 2 * (len(shape) - 2))
    return normalized(d, y, s) if d.pick(True, False, False) else (y, s)


def transposed(d, x, shape):
    w = d.values([shape[1], 4, 2, 2], 0.5 / np.sqrt(shape[1]) * 2)
    return d.node("ConvTranspose", [x, d.constant(w)], [shape[0], 4, shape[2] * 2, shape[3] * 2],
                  strides=[2, 2])


def normalized(d, x, shape):
    c = shape[1]
    parameters = [np.abs(d.values([c])) + 0.5, d.values([c]), d.values([c], 0.2),
                  np.abs(d.values([c])) + 0.5]
    return d.node("BatchNormalization", [x] + [d.constant(p.astype(np.float32)) for p in parameters],
                  shape)


def pool(d, x, shape):
    op = d.pick("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool")
    if op.startswith("Global"):
        return d.node(op, [x], shape[:2] + [1, 1])
    k = d.pick(2, 2, 3)
    return d.node(op, [x], shape[:2] + [(shape[2] - k) // 2 + 1, (shape[3] - k) // 2 + 1],
                  kernel_shape=[k, k], strides=[2, 2])


def reduction(d, x, shape):
    op = d.pick("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin")
    axis = len(shape) - 1
    return d.node(op, [x, d.constant(np.array([axis], np.int64))], shape[:-1] + [1], keepdims=1)


def resize(d, x, shape):
    mode = d.pick("nearest", "linear")
    scales = d.constant(np.array([1, 1, 2, 2], np.float32))
    return d.node("Resize", [x, "", scales], shape[:2] + [2 * shape[2], 2 * shape[3]], mode=mode)


def rearranged(d, x, shape):
    which = d.pick("Transpose", "Flatten", "Concat", "Slice", "Pad", "Gather", "Tile", "SpaceToDepth",
                   "Split")
    if which == "Transpose":
        return d.node("Transpose", [x], [shape[0], shape[2], shape[3], shape[1]], perm=[0, 2, 3, 1])
    if which == "Flatten":
        return d.node("Flatten", [x], [shape[0], int(np.prod(shape[1:]))])
    if which == "Concat":
        y, _ = elementwise(d, x, shape)
        return d.node("Concat", [x, y], [shape[0], 2 * shape[1]] + shape[2:], axis=1)
    if which == "Slice":
        index = [d.constant(np.array([v], np.int64)) for v in (1, shape[2], 2)]
        return d.node("Slice", [x, index[0], index[1], index[2]], shape[:2] + [shape[2] - 1, shape[3]]
                      ) if shape[2] > 2 else (x, shape)
    if which == "Pad":
        pads = d.constant(np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64))
        return d.node("Pad", [x, pads], shape[:2] + [shape[2] + 2, shape[3] + 2])
    if which == "Gather":
        return d.node("Gather", [x, d.constant(np.array([1, 0], np.int64))],
                      [shape[0], 2] + shape[2:], axis=1)
    if which == "Tile":
        return d.node("Tile", [x, d.constant(np.array([1, 2, 1, 1], np.int64))],
                      [shape[0], 2 * shape[1]] + shape[2:])
    if which == "SpaceToDepth":
        if shape[2] % 2 or shape[3] % 2:
            return x, shape
        return d.node("SpaceToDepth", [x], [shape[0], shape[1] * 4, shape[2] // 2, shape[3] // 2],
                      blocksize=2)
    if shape[1] % 2:
        return x, shape
    return d.node("Split", [x], [shape[0], shape[1] // 2] + shape[2:], outputs=2, axis=1,
                  num_outputs=2)


def statistics(d, x, shape):
    op = d.pick("Softmax", "LogSoftmax", "LRN", "InstanceNormalization", "LayerNormalization")
    if op in ("Softmax", "LogSoftmax"):
        return d.node(op, [x], shape, axis=d.pick(1, -1))
    if op == "LRN":
        return d.node(op, [x], shape, size=3, alpha=0.5, beta=0.75)
    n = shape[1] if op == "InstanceNormalization" else shape[-1]
    return d.node(op, [x, d.constant(np.abs(d.values([n])) + np.float32(0.5)),
                       d.constant(d.values([n]))], shape)


def quantised(d, x, shape):
    scale, zero = d.constant(np.float32(d.pick(1 / 32, 1 / 16))), d.constant(np.uint8(128))
    q, _ = d.node("QuantizeLinear", [x, scale, zero], shape)
    if len(shape) == 4 and d.pick(True, False):
        w = d.rng.integers(-40, 40, [4, shape[1], 1, 1]).astype(np.int8)
        operands = [d.constant(w), d.constant(np.float32(1 / 64)), d.constant(np.int8(0))]
        q, shape = d.node("QLinearConv", [q, scale, zero] + operands + [scale, zero],
                          [shape[0], 4] + shape[2:])
    return d.node("DequantizeLinear", [q, scale, zero], shape)


def dynamic(d, x, shape):
    names = [d.name("dynamic") for _ in range(3)]
    d.nodes.append(helper.make_node("DynamicQuantizeLinear", [x], names, name=d.name("n")))
    n = d.pick(4, 6)
    w = d.constant(d.rng.integers(-60, 60, [shape[-1], n]).astype(np.int8))
    out = shape[:-1] + [n]
    y, _ = d.node("MatMulInteger", [names[0], w, names[2], d.constant(np.int8(0))], out)
    y, _ = d.node("Cast", [y], out, to=TensorProto.FLOAT)
    scale, _ = d.node("Mul", [names[1], d.constant(np.float32(1 / 64))], [])
    return d.node("Mul", [y, scale], out)


def product(d, x, shape):
    n = d.pick(4, 10)
    w = d.constant(d.values([shape[-1], n], 1 / np.sqrt(shape[-1])))
    if len(shape) == 2 and d.pick(True, False):
        return d.node("Gemm", [x, w, d.constant(d.values([n]))], [shape[0], n])
    return d.node("MatMul", [x, w], shape[:-1] + [n])


def squares(d, x, shape):
    y, s = d.node("Transpose", [x], [shape[0], shape[2], shape[1]], perm=[0, 2, 1])
    y, _ = d.node("MatMul", [x, y], [shape[0], shape[1], shape[1]])
    return d.node("Mul", [y, d.constant(np.float32(1 / 8))], [shape[0], shape[1], shape[1]])


def choice(d, x, shape):
    c, _ = d.node(d.pick("Greater", "Less"), [x, d.constant(np.float32(0.1875))], shape)
    y, _ = elementwise(d, x, shape)
    return d.node("Where", [c, x, y], shape)


def decided(d, x, shape):
    y = helper.make_tensor_value_info("", TensorProto.FLOAT, None)

    def branch(op):
        name = d.name("inner")
        y.name = name
        return helper.make_graph([helper.make_node(op, [x], [name], name=d.name("n"))], "branch", [],
                                 [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])
    return d.node("If", [d.constant(np.bool_(True))], shape, then_branch=branch("Relu"),
                  else_branch=branch("Neg"))


def looped(d, x, shape):
    names = {k: d.name(k) for k in ("i", "go", "v", "same", "next")}
    info = lambda name, kind, s: helper.make_tensor_value_info(name, kind, s)
    body = helper.make_graph(
        [helper.make_node("Identity", [names["go"]], [names["same"]], name=d.name("n")),
         helper.make_node("Mul", [names["v"], d.constant(np.float32(0.75))], [names["next"]],
                          name=d.name("n"))], "body",
        [info(names["i"], TensorProto.INT64, []), info(names["go"], TensorProto.BOOL, []),
         info(names["v"], TensorProto.FLOAT, shape)],
        [info(names["same"], TensorProto.BOOL, []), info(names["next"], TensorProto.FLOAT, shape)])
    return d.node("Loop", [d.constant(np.int64(3)), d.constant(np.bool_(True)), x], shape, body=body)


def recurrent(d, x, shape):
    op = d.pick("RNN", "GRU", "LSTM")
    gates, hidden = {"RNN": 1, "GRU": 3, "LSTM": 4}[op], 4
    operands = [d.constant(d.values([1, gates * hidden, k], 0.4)) for k in (shape[2], hidden)]
    y, s = d.node(op, [x] + operands, [shape[0], 1, shape[1], hidden], hidden_size=hidden)
    return d.node("Squeeze", [y, d.constant(np.array([1], np.int64))],
                  [shape[0], shape[1], hidden])


def runtime(d, x, shape):
    return d.node(d.pick("Gelu", "QuickGelu", "FastGelu"), [x], shape, domain="com.microsoft")


def position(d, x, shape):
    return d.node("ArgMax", [x], shape[:1] + [1] + shape[2:], axis=1)


ANY = [elementwise, with_constant, with_other, clip, power, quantised, product, choice, looped,
       decided, elementwise, with_constant]
IMAGES = [convolution, convolution, normalized, pool, pool, resize, rearranged, rearranged,
          statistics, transposed]
ROWS = [product, dynamic, reduction, statistics, positive, runtime]
SEQUENCES = [recurrent, squares, reduction, product]


def draw(seed):
    d = Draw(seed)
    kind = seed % 3
    shape = [[1, 4, 8, 8], [1, 12], [4, 1, 6]][kind]
    first = list(shape)
    x = "x"
    last = [IMAGES, ROWS, SEQUENCES][kind]
    for _ in range(d.rng.integers(1, 5)):
        if len(shape) == 4 and min(shape[2:]) < 4:
            x, shape = d.node("Flatten", [x], [shape[0], int(np.prod(shape[1:]))])
        pool_of = ANY + {4: IMAGES, 2: ROWS, 3: SEQUENCES}[len(shape)] * 2
        x, shape = d.pick(*pool_of)(d, x, shape)
    if seed % 17 == 0 and len(shape) >= 2:
        x, shape = position(d, x, shape)
    del last
    kind_of = TensorProto.INT64 if d.nodes and d.nodes[-1].op_type == "ArgMax" else TensorProto.FLOAT
    graph = helper.make_graph(
        d.nodes, "drawn", [helper.make_tensor_value_info("x", TensorProto.FLOAT, first)],
        [helper.make_tensor_value_info(x, kind_of, None)], d.constants)
    model = helper.make_model(graph, ir_version=9, opset_imports=[
        helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)])
    scale = d.pick(0.5, 1, 1, 2, 20)
    given = (np.round(np.abs(d.values(first, scale)) * 64) / 64 if d.pick(True, False) else
             d.values(first, scale)).astype(np.float32)
    return model, given


def main():
    folder = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    made, seed = 0, 0
    ort.set_default_logger_severity(4)
    while made < count:
        seed += 1
        model, given = draw(seed)
        if not model.graph.node:
            continue
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            session = ort.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
            result = session.run(None, {"x": given})[0]
        except Exception as error:  # a drawn graph may not be valid
            print(seed, str(error)[:150], file=sys.stderr)
            continue
        if not np.isfinite(np.asarray(result, np.float64)).all():
            continue
        case = folder / f"{seed:04}"
        case.mkdir(parents=True, exist_ok=True)
        onnx.save(model, str(case / "model.onnx"))
        np.save(case / "input_0.npy", given)
        np.save(case / "output_0.npy", result)
        made += 1


if __name__ == "__main__":
    main()
