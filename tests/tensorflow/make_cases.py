#!/usr/bin/env python3
"""Writes the cases of operators_test.cpp: small frozen graphs with the results that TensorFlow computes.

make_cases.py FOLDER, with tensorflow in the Python environment (made with 2.21). Each case is
NAME.pb and NAME.npz with arrays in_NODE and out_NODE. tests/golden/pack.sh packs the folder.
"""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

tf1 = tf.compat.v1
tf1.disable_eager_execution()
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
rng = np.random.default_rng(1)
names = []


def values(*shape, low=-1.0, high=1.0):
    return rng.uniform(low, high, shape).astype(np.float32)


def case(name, build, *inputs, low=-1.0, high=1.0, outputs=("y",), batch_open=False, feed=None,
         change=None):
    """Writes a case. build(x0, ...) returns the output or a list of outputs; inputs are the shapes of
    x0, x1, ..."""
    graph = tf.Graph()
    with graph.as_default():
        holders = []
        for i, shape in enumerate(inputs):
            stated = [None] + list(shape[1:]) if batch_open else shape
            holders.append(tf1.placeholder(tf.float32, stated, name=f"x{i}"))
        made = build(*holders)
        made = made if isinstance(made, (list, tuple)) else [made]
        for out, node in zip(made, outputs):
            tf.identity(out, name=node)
        feeds = {h: values(*s, low=low, high=high) for h, s in zip(holders, inputs)}
        with tf1.Session() as session:
            results = session.run([f"{o}:0" for o in outputs], feeds)
    message = graph.as_graph_def()
    arrays = {f"in_{h.op.name}": v for h, v in feeds.items()}
    for node, result in zip(outputs, results):
        arrays[f"out_{node}"] = np.asarray(result, dtype=np.float32)
    if change:
        change(message, arrays)
    with open(os.path.join(folder, name + ".pb"), "wb") as file:
        file.write(message.SerializeToString(deterministic=True))
    np.savez(os.path.join(folder, name + ".npz"), **arrays)
    names.append(name)


def to_nchw(message, arrays):
    """Changes the images of a graph to N C H W, which TensorFlow does not run on a CPU."""
    order = {"strides", "dilations", "ksize"}
    for node in message.node:
        if "data_format" in node.attr:
            node.attr["data_format"].s = b"NCHW"
            for key in order & set(node.attr):
                v = list(node.attr[key].list.i)
                node.attr[key].list.i[:] = [v[0], v[3], v[1], v[2]]
            pads = list(node.attr["explicit_paddings"].list.i)
            if pads:
                node.attr["explicit_paddings"].list.i[:] = pads[0:2] + pads[6:8] + pads[2:6]
        if node.op == "Placeholder":
            v = [d.size for d in node.attr["shape"].shape.dim]
            if len(v) == 4:
                for d, size in zip(node.attr["shape"].shape.dim, [v[0], v[3], v[1], v[2]]):
                    d.size = size
        for key in [k for k in node.attr if k == "_output_shapes"]:
            del node.attr[key]
    for key, value in arrays.items():
        if value.ndim == 4:
            arrays[key] = np.ascontiguousarray(value.transpose(0, 3, 1, 2))


raw = tf.raw_ops
C = tf.constant

# ---- products -----------------------------------------------------------------------------------
case("matmul", lambda x: tf.linalg.matmul(x, C(values(6, 5))), (2, 6))
case("matmul_transpose_b", lambda x: tf.linalg.matmul(x, C(values(5, 6)), transpose_b=True), (2, 6))
case("matmul_transpose_a", lambda x: tf.linalg.matmul(x, C(values(6, 5)), transpose_a=True), (6, 3))
case("matmul_bias", lambda x: tf.nn.bias_add(tf.linalg.matmul(x, C(values(6, 5))), C(values(5))),
     (2, 6), batch_open=True)
case("matmul_add_relu", lambda x: tf.nn.relu(tf.linalg.matmul(x, C(values(6, 5))) + C(values(5))),
     (1, 6))
case("matmul_two_inputs", tf.linalg.matmul, (3, 4), (4, 5))
case("batch_matmul", lambda x: tf.linalg.matmul(x, C(values(5, 4)), adjoint_b=True), (2, 3, 4))
case("dense_on_rows", lambda x: tf.tensordot(x, C(values(4, 5)), [[2], [0]]), (2, 3, 4))

for padding in ("VALID", "SAME"):
    for stride in (1, 2, 3):
        case(f"conv_{padding.lower()}_stride_{stride}",
             lambda x: tf.nn.conv2d(x, C(values(3, 2, 3, 5)), stride, padding), (1, 7, 6, 3))
    case(f"conv_{padding.lower()}_dilated",
         lambda x: raw.Conv2D(input=x, filter=C(values(3, 3, 3, 4)), strides=[1, 1, 1, 1],
                              padding=padding, dilations=[1, 2, 3, 1]), (1, 9, 10, 3))
    case(f"depthwise_{padding.lower()}",
         lambda x: tf.nn.depthwise_conv2d(x, C(values(3, 3, 4, 1)), [1, 1, 1, 1], padding),
         (1, 6, 5, 4))
    case(f"depthwise_multiplier_{padding.lower()}",
         lambda x: tf.nn.depthwise_conv2d(x, C(values(3, 2, 3, 2)), [1, 2, 2, 1], padding),
         (1, 6, 5, 3))
    for pool, op in (("max", tf.nn.max_pool2d), ("avg", tf.nn.avg_pool2d)):
        for k, s in ((2, 2), (3, 2), (3, 1)):
            case(f"{pool}_pool_{padding.lower()}_{k}_{s}",
                 lambda x: op(x, k, s, padding), (1, 7, 6, 5))
    case(f"transposed_conv_{padding.lower()}",
         lambda x: tf.nn.conv2d_transpose(x, C(values(3, 3, 4, 3)),
                                          [1, 8, 6, 4] if padding == "SAME" else [1, 9, 7, 4],
                                          2, padding), (1, 4, 3, 3))
explicit = [[0, 0], [1, 2], [0, 3], [0, 0]]
case("conv_explicit", lambda x: tf.nn.conv2d(x, C(values(3, 3, 3, 4)), 2, explicit), (1, 6, 6, 3))
case("conv_bias_relu6", lambda x: tf.nn.relu6(tf.nn.bias_add(
    tf.nn.conv2d(x, C(values(3, 3, 3, 4, low=-3, high=3)), 1, "SAME"), C(values(4)))), (1, 5, 5, 3),
    batch_open=True)
case("conv_bias_read_twice", lambda x: [tf.nn.bias_add(y, C(values(4))) + y for y in
                                        [tf.nn.conv2d(x, C(values(1, 1, 3, 4)), 1, "SAME")]],
     (1, 3, 3, 3))
case("conv_bias_of_alias_read_twice",
     lambda x: [tf.nn.bias_add(tf.identity(y), C(values(4))) - tf.nn.relu(y) for y in
                [tf.nn.conv2d(x, C(values(1, 1, 3, 4)), 1, "SAME")]], (1, 3, 3, 3))
case("conv_batch_2", lambda x: tf.nn.conv2d(x, C(values(3, 3, 2, 3)), 1, "SAME"), (2, 4, 4, 2))
case("conv_1d", lambda x: tf.nn.conv1d(x, C(values(3, 4, 5)), 1, "SAME"), (1, 9, 4))
case("conv_nchw", lambda x: tf.nn.bias_add(tf.nn.conv2d(x, C(values(3, 3, 3, 4)), [1, 2, 1, 1],
                                                        "SAME"), C(values(4))),
     (1, 6, 5, 3), change=to_nchw)
case("conv_nchw_explicit", lambda x: tf.nn.conv2d(x, C(values(3, 3, 3, 4)), 2, explicit),
     (1, 6, 6, 3), change=to_nchw)
case("network_nchw", lambda x: tf.nn.max_pool2d(tf.nn.relu(raw.FusedBatchNormV3(
    x=tf.nn.conv2d(x, C(values(3, 3, 3, 4)), 1, "SAME"), scale=C(values(4)), offset=C(values(4)),
    mean=C(values(4)), variance=C(values(4, low=0.5, high=2)), is_training=False).y), 2, 2, "SAME"),
    (1, 5, 5, 3), change=to_nchw)
case("depthwise_nchw", lambda x: tf.nn.depthwise_conv2d(x, C(values(3, 3, 4, 1)), [1, 1, 1, 1],
                                                        "SAME"), (1, 6, 5, 4), change=to_nchw)

# ---- normalisation ------------------------------------------------------------------------------
for version, op in ((1, raw.FusedBatchNorm), (2, raw.FusedBatchNormV2), (3, raw.FusedBatchNormV3)):
    case(f"batch_norm_v{version}", lambda x: op(
        x=x, scale=C(values(5)), offset=C(values(5)), mean=C(values(5)),
        variance=C(values(5, low=0.5, high=2)), epsilon=0.01, is_training=False).y, (1, 3, 4, 5))
case("batch_norm_by_hand", lambda x: tf.nn.batch_normalization(
    x, C(values(6)), C(values(6, low=0.5, high=2)), C(values(6)), C(values(6)), 1e-3), (2, 6))
case("lrn", lambda x: tf.nn.lrn(x, 2, 1.0, 0.1, 0.75), (1, 3, 3, 8))

# ---- single elements ----------------------------------------------------------------------------
unary = dict(relu=tf.nn.relu, relu6=tf.nn.relu6, elu=tf.nn.elu, selu=tf.nn.selu, tanh=tf.tanh,
             sigmoid=tf.sigmoid, softplus=tf.nn.softplus, softsign=tf.nn.softsign, exp=tf.exp,
             negative=tf.negative, abs=tf.abs, square=tf.square, floor=tf.floor, ceil=tf.math.ceil,
             erf=tf.math.erf, sign=tf.sign, round=tf.round)
for name, op in unary.items():
    case(name, lambda x: op(x), (1, 2, 3, 5), low=-3.0, high=3.0)
for name, op in dict(sqrt=tf.sqrt, rsqrt=tf.math.rsqrt, reciprocal=tf.math.reciprocal,
                     log=tf.math.log).items():
    case(name, lambda x: op(x), (1, 2, 3, 5), low=0.5, high=3.0)
case("leaky_relu", lambda x: tf.nn.leaky_relu(x, 0.125), (1, 2, 3, 5))
case("leaky_relu_usual", lambda x: raw.LeakyRelu(features=x), (2, 5))
case("clip", lambda x: raw.ClipByValue(t=x, clip_value_min=C(-0.5), clip_value_max=C(0.25)),
     (1, 2, 3, 5))
for name, op in dict(add=raw.Add, add_v2=raw.AddV2, sub=raw.Sub, mul=raw.Mul, maximum=raw.Maximum,
                     minimum=raw.Minimum, squared_difference=raw.SquaredDifference).items():
    case(f"{name}_two_inputs", lambda a, b: op(x=a, y=b), (1, 3, 2, 5), (1, 3, 2, 5))
    case(f"{name}_channels", lambda a: op(x=a, y=C(values(5))), (1, 3, 2, 5))
    case(f"{name}_scalar_first", lambda a: op(x=C(0.75), y=a), (1, 3, 2, 5))
    case(f"{name}_rows", lambda a: op(x=a, y=C(values(3, 1, 1))), (1, 3, 2, 5))
    case(f"{name}_vector", lambda a: op(x=a, y=C(values(5))), (2, 5))
case("real_div", lambda a: raw.RealDiv(x=a, y=C(values(5, low=1, high=2))), (1, 3, 2, 5))
case("add_n", lambda a, b, c: tf.add_n([a, b, c]), (1, 3, 2, 5), (1, 3, 2, 5), (1, 3, 2, 5))
case("pow", lambda a: tf.pow(a, 2.0), (1, 3, 2, 5))
case("bias_add_alone", lambda a: tf.nn.bias_add(a, C(values(5))), (1, 3, 2, 5))
case("select", lambda a: tf.where(C([True, False, True, False, True]), a, C(values(2, 5))), (2, 5))
case("softmax", tf.nn.softmax, (2, 7))
case("softmax_image", tf.nn.softmax, (1, 3, 2, 7))
case("log_softmax", tf.nn.log_softmax, (2, 7))
case("softmax_inside", lambda x: tf.linalg.matmul(tf.nn.softmax(x), C(values(7, 4))), (2, 7))
case("arg_max", lambda x: tf.cast(tf.argmax(x, -1), tf.float32), (2, 7))
case("placeholder_cast", lambda x: tf.cast(tf.cast(x, tf.float32), tf.float32) * 2.0, (2, 7))

# ---- reductions ---------------------------------------------------------------------------------
for name, op in dict(mean=tf.reduce_mean, sum=tf.reduce_sum, max=tf.reduce_max,
                     min=tf.reduce_min).items():
    case(f"{name}_pixels", lambda x: op(x, [1, 2]), (1, 4, 3, 5))
    case(f"{name}_pixels_kept", lambda x: op(x, [1, 2], keepdims=True), (1, 4, 3, 5))
    case(f"{name}_channels", lambda x: op(x, -1), (1, 4, 3, 5))
    case(f"{name}_last", lambda x: op(x, [1]), (3, 6))
case("mean_rows", lambda x: tf.reduce_mean(x, 1), (1, 4, 3, 5))

# ---- places -------------------------------------------------------------------------------------
case("reshape_flat", lambda x: tf.reshape(tf.nn.relu(x), [-1, 30]), (1, 3, 2, 5))
case("reshape_of_shape", lambda x: tf.reshape(x, tf.stack([tf.shape(x)[0], -1])), (2, 3, 2, 5),
     batch_open=True)
case("flatten_after_conv", lambda x: tf.linalg.matmul(tf.reshape(
    tf.nn.conv2d(x, C(values(3, 3, 2, 4)), 1, "SAME"), [-1, 36]), C(values(36, 5))), (1, 3, 3, 2))
case("to_image", lambda x: tf.nn.conv2d(tf.reshape(x, [-1, 4, 3, 1]), C(values(3, 3, 1, 4)), 1,
                                        "SAME"), (1, 12), batch_open=True)
case("squeeze_pixels", lambda x: tf.squeeze(tf.nn.avg_pool2d(x, [4, 3], 1, "VALID"), [1, 2]),
     (1, 4, 3, 5))
case("squeeze_all", lambda x: tf.squeeze(tf.nn.relu(x)), (1, 4, 1, 5))
case("squeeze_row", lambda x: tf.squeeze(tf.nn.relu(x), [1]), (1, 1, 3, 5))
case("expand_dims", lambda x: tf.expand_dims(x, 1), (2, 5))
case("expand_dims_last", lambda x: tf.expand_dims(x, -1), (1, 4, 5))
case("transpose", lambda x: tf.transpose(x, [0, 2, 1]), (1, 3, 5))
case("transpose_to_nchw", lambda x: tf.transpose(tf.nn.relu(x), [0, 3, 1, 2]), (1, 3, 2, 5))
case("transpose_image", lambda x: tf.transpose(tf.nn.relu(x), [0, 2, 1, 3]), (1, 3, 2, 5))
for axis in (1, 2, 3):
    case(f"concat_axis_{axis}", lambda a, b: tf.concat([a, tf.nn.relu(b), a], axis),
         (1, 3, 2, 5), (1, 3, 2, 5))
case("concat_constant", lambda a: tf.concat([a, C(values(1, 3, 2, 4))], -1), (1, 3, 2, 4))
case("concat_rows", lambda a, b: tf.concat([a, b], 1), (2, 3), (2, 4))
for axis in (1, 3):
    case(f"split_axis_{axis}", lambda x: tf.split(x, 2, axis), (1, 4, 2, 6), outputs=("y", "z"))
case("split_v", lambda x: tf.split(x, [2, -1, 1], 3), (1, 3, 2, 6), outputs=("y", "z", "w"))
case("slice", lambda x: tf.slice(x, [0, 1, 0, 2], [1, 2, -1, 3]), (1, 4, 3, 6))
case("strided_slice", lambda x: x[:, 1:-1, ::2, 1:5], (1, 4, 5, 6))
case("strided_slice_shrink", lambda x: x[:, 1, ..., 0:3], (1, 4, 5, 6))
case("strided_slice_new_axis", lambda x: x[:, tf.newaxis, 1:], (2, 5))
case("strided_slice_back", lambda x: x[:, ::-1], (2, 5))
case("computed_shapes", lambda x: tf.reshape(x, tf.stack(
    [tf.math.floordiv(tf.size(x), 10), tf.math.floormod(tf.shape(x)[1] * 0 + 25, 15)])),
    (1, 3, 2, 5), batch_open=True)
case("range_and_gather", lambda x: tf.gather(x, tf.range(4, -1, -2), axis=1) +
     tf.cast(tf.reduce_prod(C([1, 2, 3])), tf.float32), (2, 5))
case("pack", lambda a, b: tf.stack([a, b], 1), (2, 5), (2, 5))
case("unpack", lambda x: tf.unstack(x, axis=1), (2, 2, 5), outputs=("y", "z"))
case("gather", lambda x: tf.gather(x, [2, 0, 3], axis=1), (2, 5))
case("tile", lambda x: tf.tile(x, [1, 2, 1, 2]), (1, 3, 2, 4))
case("pad", lambda x: tf.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]]), (1, 3, 2, 5))
case("pad_conv", lambda x: tf.nn.conv2d(tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]]),
                                        C(values(3, 3, 3, 4)), 2, "VALID"), (1, 6, 6, 3))
case("pad_v2", lambda x: tf.pad(x, [[0, 0], [1, 2], [0, 1], [0, 0]], constant_values=0.5),
     (1, 3, 2, 5))
case("pad_channels", lambda x: tf.pad(x, [[0, 0], [0, 0], [0, 0], [1, 2]]), (1, 3, 2, 5))
for mode in ("REFLECT", "SYMMETRIC"):
    case(f"mirror_pad_{mode.lower()}", lambda x: tf.pad(x, [[0, 0], [2, 1], [1, 1], [0, 0]], mode),
         (1, 3, 4, 5))
for name, op in dict(bilinear=raw.ResizeBilinear, nearest=raw.ResizeNearestNeighbor).items():
    for form, flags in dict(corners=dict(align_corners=True), plain=dict(),
                            centres=dict(half_pixel_centers=True)).items():
        for size in ((6, 8), (5, 3)):
            case(f"resize_{name}_{form}_{size[0]}_{size[1]}",
                 lambda x: op(images=x, size=C(size), **flags), (1, 3, 4, 5))
case("resize_by_shape", lambda x: raw.ResizeNearestNeighbor(
    images=x, size=tf.shape(x)[1:3] * 2), (1, 3, 4, 5), batch_open=True)
case("depth_to_space", lambda x: tf.nn.depth_to_space(x, 2), (1, 2, 3, 8))
case("space_to_depth", lambda x: tf.nn.space_to_depth(x, 2), (1, 4, 6, 3))
case("space_to_batch", lambda x: tf.space_to_batch(x, [2, 3], [[0, 1], [1, 1]]), (1, 3, 4, 5))
case("batch_to_space", lambda x: tf.batch_to_space(x, [2, 2], [[0, 1], [1, 0]]), (4, 2, 3, 5))


def dilated(x, weights, rate, before_bias, after):
    pad = [[rate, after + rate], [rate, rate]]
    y = tf.space_to_batch(x, [rate, rate], pad)
    y = tf.nn.conv2d(y, C(weights), 1, "VALID")
    if before_bias:
        y = tf.nn.relu(tf.nn.bias_add(y, C(values(weights.shape[3]))))
    y = raw.BatchToSpaceND(input=y, block_shape=[rate, rate], crops=[[0, after], [0, 0]])
    return y if before_bias else tf.nn.bias_add(y, C(values(weights.shape[3])))


case("dilated_by_blocks", lambda x: dilated(x, values(3, 3, 3, 4), 2, False, 1), (1, 5, 6, 3))
case("dilated_by_blocks_bias_inside", lambda x: dilated(x, values(3, 3, 3, 4), 2, True, 1),
     (1, 5, 6, 3))


def dilated_rows(x):
    y = raw.SpaceToBatchND(input=x, block_shape=[2], paddings=[[2, 3]])
    y = tf.expand_dims(y, 1)
    y = tf.nn.conv2d(y, C(values(1, 3, 4, 5)), 1, "VALID")
    y = tf.squeeze(y, [1])
    return tf.nn.relu(raw.BatchToSpaceND(input=y, block_shape=[2], crops=[[0, 1]]))


case("dilated_rows_by_blocks", dilated_rows, (1, 9, 4))

# ---- quantised training -------------------------------------------------------------------------
case("fake_quant_vars", lambda x: raw.FakeQuantWithMinMaxVars(inputs=x, min=-1.3, max=2.1),
     (1, 3, 2, 5), low=-3.0, high=3.0)
case("fake_quant_args", lambda x: raw.FakeQuantWithMinMaxArgs(inputs=x, min=0.0, max=6.0),
     (2, 5), low=-3.0, high=8.0)
case("fake_quant_narrow", lambda x: raw.FakeQuantWithMinMaxVars(
    inputs=x, min=-1.0, max=1.0, narrow_range=True), (2, 5), low=-2.0, high=2.0)
case("fake_quant_network", lambda x: raw.FakeQuantWithMinMaxVars(
    inputs=tf.nn.relu(tf.nn.conv2d(x, raw.FakeQuantWithMinMaxVarsPerChannel(
        inputs=C(values(3, 3, 3, 4)), min=C([-1.0, -0.9, -0.8, -1.0]),
        max=C([1.0, 0.9, 1.0, 0.7]), num_bits=8, narrow_range=True), 1, "SAME")),
    min=0.0, max=5.0), (1, 5, 5, 3))

# ---- structure ----------------------------------------------------------------------------------
def with_controls(x):
    with tf.control_dependencies([tf.no_op(name="before")]):
        y = tf.identity(x)
    return tf.stop_gradient(tf.nn.relu(y)) + tf.fill([5], 0.25) + tf.ones_like(C(values(5)))


case("controls_and_aliases", with_controls, (2, 5))
case("default_input", lambda x: x * tf1.placeholder_with_default(C(0.5), []), (2, 5))


def conditional(x):
    flag = tf1.placeholder_with_default(C(False), [], name="learning")
    off, on = raw.Switch(data=x, pred=flag)
    return raw.Merge(inputs=[off * 0.5, on * 2.0]).output


case("switch_and_merge", conditional, (2, 5))


def residual(x):
    w = lambda *s: C(values(*s) * 0.4)
    a = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w(3, 3, 3, 8), 1, "SAME"), C(values(8))))
    b = tf.nn.bias_add(tf.nn.conv2d(a, w(3, 3, 8, 8), 1, "SAME"), C(values(8)))
    c = tf.nn.relu(a + b)
    d = tf.nn.max_pool2d(c, 2, 2, "SAME")
    e = tf.reshape(tf.reduce_mean(d, [1, 2]), [-1, 8])
    return tf.nn.softmax(tf.linalg.matmul(e, w(8, 6)) + C(values(6)))


case("residual_network", residual, (1, 6, 6, 3), batch_open=True)


def encodings(message, arrays):
    """Stores the float constants as typed lists instead of bytes."""
    for node in message.node:
        if node.op != "Const":
            continue
        tensor = node.attr["value"].tensor
        array = tf.make_ndarray(tensor)
        if array.dtype != np.float32 or array.size < 2:
            continue
        del tensor.float_val[:]
        tensor.tensor_content = b""
        tensor.float_val.extend(array.reshape(-1).tolist())


case("typed_lists", lambda x: tf.linalg.matmul(x, C(values(6, 5))) + C(values(5)), (2, 6),
     change=encodings)
case("repeated_value", lambda x: tf.linalg.matmul(x, tf.fill([6, 5], 0.25)) + C([0.5] * 5), (2, 6))
case("halves", lambda x: tf.linalg.matmul(x, tf.cast(C(values(6, 5).astype(np.float16)),
                                                     tf.float32)), (2, 6))
case("doubles", lambda x: tf.linalg.matmul(x, tf.cast(C(values(6, 5).astype(np.float64)),
                                                      tf.float32)), (2, 6))
print(len(names), "cases")
