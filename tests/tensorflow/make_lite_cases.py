#!/usr/bin/env python3
"""Writes the cases of lite_test.cpp: small TensorFlow Lite models with the results of its interpreter.

make_lite_cases.py FOLDER, with tensorflow in the Python environment (made with 2.21). Each case is
NAME.tflite and NAME.npz with arrays in_K and out_K, in the model's order; results of quantised outputs
are real numbers. tests/golden/pack.sh packs the folder.
"""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

L = tf.keras.layers
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(1)
tf.random.set_seed(1)


def set_mode(converter, mode, shapes):
    """float; dynamic: weights of 8 bits; half: of 16; whole: all of 8 bits; whole_io: inputs and outputs too."""
    if mode == "float":
        return
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if mode == "half":
        converter.target_spec.supported_types = [tf.float16]
    if mode.startswith("whole"):
        def representative():
            for _ in range(50):
                yield [rng.normal(size=s).astype(np.float32) for s in shapes]
        converter.representative_dataset = representative
    if mode == "whole_io":
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = tf.int8


def write(name, model):
    with open(os.path.join(folder, name + ".tflite"), "wb") as file:
        file.write(model)
    interpreter = tf.lite.Interpreter(model_content=model)
    interpreter.allocate_tensors()
    arrays = {}
    for k, about in enumerate(interpreter.get_input_details()):
        x = rng.normal(size=about["shape"]).astype(np.float32)
        if about["dtype"] in (np.int32, np.int64):
            x = rng.integers(0, 5, size=about["shape"]).astype(about["dtype"])
        scale, zero = about["quantization"]
        given = x.astype(about["dtype"])
        if scale:
            given = np.clip(np.round(x / scale + zero), -128, 127).astype(about["dtype"])
        interpreter.set_tensor(about["index"], given)
        arrays[f"in_{k}"] = x
    interpreter.invoke()
    for k, about in enumerate(interpreter.get_output_details()):
        y = interpreter.get_tensor(about["index"]).astype(np.float32)
        scale, zero = about["quantization"]
        arrays[f"out_{k}"] = (y - zero) * np.float32(scale) if scale else y
    np.savez(os.path.join(folder, name + ".npz"), **arrays)


def network(name, model, *modes):
    shapes = [tuple(1 if d is None else d for d in i.shape) for i in model.inputs]
    for mode in modes:
        converter = tf.lite.TFLiteConverter.from_keras_model(model)
        set_mode(converter, mode, shapes)
        write(f"{name}_{mode}", converter.convert())


def function(name, f, *shapes, types=None):
    specs = [tf.TensorSpec(s, types[i] if types else tf.float32, name=f"x{i}") for i, s in enumerate(shapes)]
    made = tf.function(f).get_concrete_function(*specs)
    write(name, tf.lite.TFLiteConverter.from_concrete_functions([made]).convert())


everything = ("float", "half", "whole", "whole_io")
network("cnn", tf.keras.Sequential([
    L.Input((12, 12, 3)), L.Conv2D(8, 3, activation="relu", padding="same"),
    L.DepthwiseConv2D(3, strides=2, padding="same"), L.BatchNormalization(), L.ReLU(6),
    L.Conv2D(8, 1, activation="tanh"), L.MaxPool2D(2), L.Flatten(), L.Dense(5, activation="softmax")]), *everything)
network("mlp", tf.keras.Sequential([
    L.Input((20,)), L.Dense(64, activation="gelu"), L.LayerNormalization(), L.Dense(32, activation="hard_swish"),
    L.Dense(3, activation="sigmoid")]), "dynamic", *everything)
image = L.Input((16, 16, 4))
same = L.Conv2D(4, 3, padding="same")(image)
leaky = L.LeakyReLU()(L.Add()([same, image]))
up = L.UpSampling2D(2, interpolation="bilinear")(L.AveragePooling2D(2)(leaky))
joined = L.Concatenate()([up, leaky])
wide = L.PReLU(shared_axes=[1, 2])(L.Conv2DTranspose(3, 3, strides=2, padding="same")(joined))
network("branches", tf.keras.Model(image, L.GlobalAveragePooling2D()(wide)), *everything)
network("separable", tf.keras.Sequential([
    L.Input((10, 10, 6)), L.SeparableConv2D(12, 3, depth_multiplier=2), L.Conv2D(6, 3, dilation_rate=2),
    L.ZeroPadding2D(1), L.ELU(), L.GlobalMaxPooling2D()]), "float", "whole")
tokens = L.Input((6, 16))
network("attention", tf.keras.Model(tokens, L.MultiHeadAttention(2, 8)(tokens, tokens)), "float")
network("signal", tf.keras.Sequential([
    L.Input((20, 4)), L.Conv1D(8, 5, activation="elu"), L.MaxPool1D(2), L.Flatten(), L.Dense(3)]), "float", "whole")
words = L.Input((7,), dtype="int32")
network("embedding", tf.keras.Model(words, L.Dense(3)(L.Flatten()(L.Embedding(9, 4)(words)))), "float")

function("split", lambda x: [tf.split(x, 3, -1)[k] * (k + 1.0) for k in range(3)], (1, 4, 4, 6))
function("split_v", lambda x: [part * 2.0 for part in tf.split(x, [1, 3, 2], -1)], (1, 4, 6))
function("mixed", lambda x, y: tf.nn.l2_normalize(tf.maximum(x, y) - tf.square(x) / (tf.abs(y) + 1.0), -1),
         (1, 5, 8), (1, 5, 8))
function("reductions", lambda x: tf.reduce_max(x, 1) + tf.reduce_min(x, [1]) + tf.reduce_sum(
    tf.reduce_mean(x, 2, keepdims=True), [1]) * 0.25, (1, 4, 4, 6))
function("product_of_elements", lambda x: tf.reduce_prod(x, -1), (3, 4))
function("slices", lambda x: tf.concat([x[:, 1:3, ::2, :], x[:, 0:2, 1::2, :]], -1), (1, 4, 4, 6))
function("slice", lambda x: tf.slice(x, [0, 1, 0], [1, 2, 3]) * 2.0, (1, 4, 6))
function("packed", lambda x: tf.stack(tf.unstack(x, axis=1)[::-1], axis=2), (1, 3, 4))
function("batch_product", lambda x, y: tf.matmul(x, y, transpose_b=True), (2, 4, 8), (2, 5, 8))
function("blocks", lambda x: tf.nn.depth_to_space(tf.nn.space_to_depth(x, 2) * 2.0, 2) + tf.image.resize(
    x[:, ::2, ::2], (4, 4), method="nearest"), (1, 4, 4, 4))
function("batches", lambda x: tf.batch_to_space(tf.nn.relu(tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])), [2, 2],
                                                [[0, 0], [0, 0]]), (1, 4, 4, 4))
function("pads", lambda x: tf.pad(x, [[0, 0], [1, 1], [2, 0], [0, 0]], constant_values=1.0) + tf.pad(
    x, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT") + tf.pad(x, [[0, 0], [2, 0], [1, 1], [0, 0]]), (1, 4, 4, 3))
function("lrn", lambda x: tf.nn.local_response_normalization(x, 2, 1.0, 0.1, 0.5), (1, 4, 4, 6))
function("selected", lambda x, y: tf.where(tf.not_equal(tf.round(x), tf.round(y)), x, tf.exp(-y)), (1, 6), (1, 6))
function("compared", lambda x, y: tf.where(tf.logical_or(tf.logical_and(x > y, x <= 1.0), tf.logical_not(y >= 0.0)),
                                           x, y), (1, 6), (1, 6))
function("angles", lambda x: tf.sin(x) + tf.cos(x) * tf.math.rsqrt(tf.abs(x) + 1.0), (1, 6))
function("cast", lambda x: tf.cast(x, tf.float32) * 0.5, (1, 6), types=[tf.int32])
function("clips", lambda x: tf.clip_by_value(x, -1.0, 1.0) + tf.nn.relu6(x) + tf.sign(x) + tf.floor(x) + tf.math.ceil(x),
         (1, 6))
function("roots", lambda x: tf.sqrt(tf.abs(x)) + tf.math.log(tf.abs(x) + 1.0) + tf.minimum(x, 0.5), (1, 6))
function("log_softmax", lambda x: tf.nn.log_softmax(x), (2, 6))
function("gelu", lambda x: tf.nn.gelu(x, approximate=True) + tf.nn.tanh(x), (2, 6))
function("shapes", lambda x: tf.tile(tf.expand_dims(tf.squeeze(tf.transpose(x, [0, 2, 1, 3]), 3), 1), [1, 2, 1, 1]) * 2.0,
         (1, 3, 4, 1))
function("places", lambda x: tf.argmax(x, -1), (3, 6))
function("smallest_places", lambda x: tf.argmin(x, -1), (3, 6))
function("transposed", lambda x: tf.nn.conv2d_transpose(
    x, tf.constant(rng.normal(size=(2, 2, 5, 3)).astype(np.float32)), (1, 8, 8, 5), 2, "VALID"), (1, 4, 4, 3))
function("unsupported", lambda x: [tf.cast(part, tf.float32) * 2.0 for part in tf.math.top_k(tf.nn.relu(x), 2)], (1, 6))


def lstm(name, time_major=False, coupled=False, peepholes=False, clip=0.0, batch=2):
    """A UNIDIRECTIONAL_SEQUENCE_LSTM, which this converter no longer writes. coupled: without an input gate."""
    import flatbuffers
    from tensorflow.lite.python import schema_py_generated as schema
    made = schema.ModelT()
    made.version = 3
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_LSTM
    code.version = 1
    made.operatorCodes, made.buffers = [code], [schema.BufferT()]
    graph = schema.SubGraphT()
    graph.name, graph.tensors = b"g", []
    steps, width, hidden = 6, 4, 5

    def tensor(name, shape, constant=False, variable=False):
        t = schema.TensorT()
        t.name, t.shape, t.type, t.isVariable = name.encode(), list(shape), schema.TensorType.FLOAT32, variable
        t.buffer = 0
        if constant:
            values = (draw.normal(size=shape) * 0.5).astype(np.float32)
            t.buffer = len(made.buffers)
            made.buffers.append(schema.BufferT())
            made.buffers[-1].data = np.frombuffer(values.tobytes(), np.uint8)
        graph.tensors.append(t)
        return len(graph.tensors) - 1

    draw = np.random.default_rng(3)
    lead = (steps, batch) if time_major else (batch, steps)
    gates = range(4)
    inputs = [tensor("x", (*lead, width))]
    for kind, shape in (("w", (hidden, width)), ("r", (hidden, hidden))):
        inputs += [-1 if coupled and k == 0 else tensor(f"{kind}{k}", shape, True) for k in gates]
    inputs += [tensor(f"p{k}", (hidden,), True) if peepholes else -1 for k in range(3)]
    inputs += [-1 if coupled and k == 0 else tensor(f"b{k}", (hidden,), True) for k in gates]
    inputs += [-1, -1, tensor("h", (batch, hidden), variable=True), tensor("c", (batch, hidden), variable=True)]
    op = schema.OperatorT()
    op.inputs, op.outputs = inputs, [tensor("y", (*lead, hidden))]
    options = schema.UnidirectionalSequenceLSTMOptionsT()
    options.fusedActivationFunction = schema.ActivationFunctionType.TANH
    options.cellClip, options.timeMajor = clip, time_major
    op.builtinOptionsType = schema.BuiltinOptions.UnidirectionalSequenceLSTMOptions
    op.builtinOptions = options
    graph.operators, graph.inputs, graph.outputs = [op], inputs[:1], op.outputs
    made.subgraphs = [graph]
    builder = flatbuffers.Builder(0)
    builder.Finish(made.Pack(builder), b"TFL3")
    write(name, bytes(builder.Output()))


lstm("lstm_float")
lstm("lstm_time_major_float", time_major=True, batch=1)
lstm("lstm_peepholes_float", peepholes=True, clip=10.0)
lstm("lstm_coupled_float", coupled=True)
