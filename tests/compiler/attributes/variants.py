"""The variants of make_cases.py: for every operator, attribute values and inputs that change its result."""
import numpy as np

FIRST, LAST = 7, 28  # operator sets
FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, BOOL = 1, 2, 3, 4, 5, 6, 7, 9
FLOAT16, DOUBLE, UINT32, BFLOAT16 = 10, 11, 12, 16
NUMPY = {FLOAT: np.float32, UINT8: np.uint8, INT8: np.int8, UINT16: np.uint16, INT16: np.int16,
         INT32: np.int32, INT64: np.int64, BOOL: np.bool_, FLOAT16: np.float16, DOUBLE: np.float64,
         UINT32: np.uint32}
WHOLE = (INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64)

rng = np.random.default_rng(53)
variants = []  # (operator, domain, inputs, attributes, outputs, operator sets, label, refused)


def v(ops, inputs, outputs=1, sets=(FIRST, LAST), domain="", label="", refused="", **attributes):
    """Adds a variant. Inputs are arrays, None: absent; outputs are a number, or names with "" for absent
    ones. `refused`: Tactus refuses it with a message that has this text."""
    for op in ops.split():
        variants.append((op, domain, inputs, attributes, outputs, sets, label, refused))


def f(*shape, low=-2.0, high=2.0):
    """Multiples of 1/64, which every data type of the machine has."""
    return (rng.integers(int(low * 64), int(high * 64) + 1, shape) / 64).astype(np.float32)


def positive(*shape):
    return f(*shape, low=0.25, high=3.0)


def whole(kind, *shape, low=None, high=None):
    info = np.iinfo(NUMPY[kind])
    low = info.min if low is None else low
    high = info.max if high is None else high
    return rng.integers(low, high, shape, dtype=np.int64, endpoint=True).astype(NUMPY[kind])


def a(values, kind=FLOAT):
    return np.array(values, dtype=NUMPY[kind])


def ints(*values):
    return np.array(values, dtype=np.int64)


def truth(*shape):
    return rng.integers(0, 2, shape).astype(np.bool_)


# ---- elements -------------------------------------------------------------------------------------

v("Abs Neg Sign", [f(2, 3)])
for kind in (INT8, INT32, INT64):
    v("Abs Neg Sign", [whole(kind, 6, low=-100, high=100)])
v("Neg Abs", [a([-128, 127, 5], INT8)])
v("Add Sub Mul Div", [f(2, 3), positive(3)])
for kind in WHOLE:
    v("Add Sub Mul", [whole(kind, 2, 3), whole(kind, 3)])
    v("Div", [whole(kind, 2, 3), whole(kind, 3, low=1, high=9)])
    v("Sum", [whole(kind, 3), whole(kind, 3), whole(kind, 3)])
    v("Max Min", [whole(kind, 3), whole(kind, 3)])
v("And Or Xor", [truth(2, 4), truth(4)])
v("Equal", [whole(INT32, 2, 4, low=0, high=2), whole(INT32, 4, low=0, high=2)])
v("Equal Greater Less GreaterOrEqual LessOrEqual", [f(2, 4, low=-0.05, high=0.05), f(4, low=-0.05, high=0.05)])
v("Not", [truth(5)])
v("Where", [truth(2, 3), f(2, 3), f(3)])
v("Where", [truth(2, 3), whole(INT64, 2, 3, low=-9, high=9), whole(INT64, 3, low=-9, high=9)])
v("Softplus Softsign Exp Sigmoid Tanh Erf HardSwish Mish Ceil Floor", [f(2, 5)])
v("Log Reciprocal Sqrt", [positive(2, 5)])
v("Round", [a([-2.5, -1.5, -0.5, 0.5, 1.5, 1.25, 2.5])])
v("Celu Elu", [f(2, 5)], alpha=1.75)
v("HardSigmoid", [f(2, 5)], alpha=0.5)
v("HardSigmoid", [f(2, 5)], beta=0.25)
v("LeakyRelu", [f(2, 5)], alpha=0.25)
v("Selu", [f(2, 5)], alpha=1.25)
v("Selu", [f(2, 5)], gamma=1.5)
v("ThresholdedRelu", [f(2, 5)], alpha=0.5)
v("Swish", [f(2, 5)], alpha=1.75)
v("Gelu", [f(3, 7, low=-3, high=3)], approximate="tanh")
v("PRelu", [f(2, 3, 4), f(3, 1)])
v("Relu Identity", [f(2, 5)])
v("Clip", [f(2, 5)], min=-0.5)
v("Clip", [f(2, 5)], max=0.5)
v("Clip", [f(2, 5), a(-0.5)])
v("Clip", [f(2, 5), None, a(0.5)])
v("Clip", [whole(INT8, 2, 5), a(-20, INT8), a(50, INT8)], sets=(12, LAST))
v("Max Min Sum Mean", [f(2, 3), f(3), f(2, 1)])
v("Mod", [f(2, 4), positive(4)], fmod=1)
v("Mod", [whole(INT32, 6, low=-9, high=9), a([3, -3, 4, -4, 5, -5], INT32)], fmod=1)
v("Mod", [whole(INT32, 6, low=-9, high=9), a([3, -3, 4, -4, 5, -5], INT32)])
v("Pow", [positive(2, 4), a(2.5)])
v("Pow", [f(2, 4), a(3.0)])
v("Pow", [whole(INT32, 5, low=-9, high=9), a(2, INT32)], sets=(12, LAST))
v("Pow", [a([3, -7, 1290, 50000], INT32), a(2, INT32)], sets=(12, LAST), label="wraps")
v("Dropout", [f(2, 5)], ratio=0.75)
v("Dropout", [f(2, 5), a(0.75)])
v("Dropout", [f(2, 5), None, np.array(False)])
v("Dropout", [f(2, 5), None, np.array(True)], refused="training")
v("Dropout", [f(2, 5)], seed=3)
for kind in (FLOAT16, DOUBLE, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, BOOL):
    v("Cast", [a([-2.75, -1.5, 0, 0.3, 1.5, 100.25]) if kind in (FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, BOOL)
               else a([0, 0.3, 1.5, 100.25, 200.75])], to=kind, label="from FLOAT")
    v("Cast", [a([-300, -2, 0, 1, 20000] + [5000000000] * (kind in WHOLE), INT64)], to=kind, label="from INT64")
v("Cast", [a([-3.140625, 1.01171875, 0.3333, 100.3])], to=BFLOAT16, sets=(13, LAST), label="from FLOAT")
v("Cast", [a([-2.75, 1.5, 100.25], DOUBLE)], to=FLOAT, label="from DOUBLE")
v("Cast", [a([-2.75, 1.5, 100.25], FLOAT16)], to=FLOAT, label="from FLOAT16")
v("Cast", [a([-7, 100], INT8)], to=FLOAT, label="from INT8")
v("Cast", [a([-7, 100], INT8)], to=UINT8, label="from INT8")
v("Cast", [truth(4)], to=FLOAT, label="from BOOL")
v("Cast", [f(4)], to=FLOAT16, saturate=0)
v("Cast", [f(4)], to=FLOAT16, round_mode="down")

# ---- sums and places ------------------------------------------------------------------------------

reduces = ("ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
           "ReduceSumSquare ReduceSum")
v(reduces, [positive(2, 3, 4)], axes=[1])
v(reduces, [positive(2, 3, 4)], keepdims=0)
v(reduces, [positive(2, 3, 4), ints(-1)])
v(reduces, [positive(2, 3, 4), ints(0, 2)], keepdims=0)
v(reduces, [positive(2, 3, 4)], noop_with_empty_axes=1, sets=(18, LAST))
v("ReduceSum", [positive(2, 3, 4)], noop_with_empty_axes=1, sets=(13, 17))
for kind in (INT32, INT64):
    v("ReduceSum ReduceMax ReduceMin ReduceProd ReduceMean", [whole(kind, 2, 3, low=-9, high=9)], keepdims=0)
v("ReduceSum", [whole(INT32, 2, 6)], keepdims=0, label="wraps")
v("ReduceSum ReduceProd", [whole(INT64, 2, 3, low=3000000000, high=4000000001)], keepdims=0, label="wraps")
v("ArgMax ArgMin", [f(2, 3, 4)], axis=1)
v("ArgMax ArgMin", [f(2, 3, 4)], keepdims=0)
v("ArgMax ArgMin", [a([[1, 3, 3, 1]])], axis=1, select_last_index=1)
v("CumSum", [f(2, 4), a(1, INT32)], exclusive=1)
v("CumSum", [f(2, 4), a(0, INT64)], reverse=1)
v("CumSum", [whole(INT32, 2, 4), a(1, INT32)], label="wraps")
v("LRN", [f(1, 6, 2, 2)], size=3, alpha=0.5)
v("LRN", [f(1, 6, 2, 2)], size=3, alpha=0.5, beta=0.5)
v("LRN", [f(1, 6, 2, 2)], size=3, alpha=0.5, bias=2.0)
v("Softmax LogSoftmax", [f(2, 3, 4)], axis=1)
v("Softmax LogSoftmax", [f(2, 3, 4)], axis=0)
v("Softmax LogSoftmax", [f(2, 3, 4)])

# ---- normalisation --------------------------------------------------------------------------------

c3 = [positive(3), f(3), f(3), positive(3)]
v("BatchNormalization", [f(2, 3, 2, 2)] + c3, epsilon=0.5)
v("BatchNormalization", [f(2, 3, 2, 2)] + c3, momentum=0.5)
v("BatchNormalization", [f(2, 3, 2, 2)] + c3, spatial=0, refused="spatial")
v("BatchNormalization", [f(2, 3, 2, 2)] + c3, training_mode=1, refused="training")
v("InstanceNormalization", [f(1, 3, 4, 4), positive(3), f(3)], epsilon=0.5)
v("LayerNormalization", [f(2, 3, 4), positive(4)], epsilon=0.5, sets=(17, LAST))
v("LayerNormalization", [f(2, 3, 4), positive(3, 4)], axis=1, sets=(17, LAST))
v("LayerNormalization", [f(2, 3, 4), positive(4), f(4)], sets=(17, LAST))
v("LayerNormalization", [f(2, 3, 4), positive(4)], stash_type=1, sets=(17, LAST))
v("LayerNormalization", [f(2, 3, 4), positive(4), f(4)], outputs=3, sets=(17, LAST))
v("RMSNormalization", [f(2, 3, 4), positive(4)], epsilon=0.5, sets=(23, LAST))
v("RMSNormalization", [f(2, 3, 4), positive(3, 4)], axis=1, sets=(23, LAST))
v("RMSNormalization", [f(2, 3, 4), positive(4)], stash_type=1, sets=(23, LAST))

# ---- windows --------------------------------------------------------------------------------------

for op, more in (("AveragePool", {}), ("MaxPool", {})):
    v(op, [f(1, 2, 6, 6)], kernel_shape=[3, 2])
    v(op, [f(1, 2, 6, 6)], kernel_shape=[3, 3], strides=[2, 1])
    v(op, [f(1, 2, 6, 6)], kernel_shape=[3, 3], pads=[1, 0, 1, 2])
    v(op, [f(1, 2, 6, 6)], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    v(op, [f(1, 2, 5, 6)], kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER")
    v(op, [f(1, 2, 5, 6)], kernel_shape=[2, 2], strides=[1, 1], auto_pad="SAME_LOWER")
    v(op, [f(1, 2, 6, 6)], kernel_shape=[2, 2], dilations=[2, 3])
    v(op, [f(1, 2, 9)], kernel_shape=[3], strides=[2], pads=[1, 0])
v("AveragePool", [f(1, 2, 6, 6)], kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1)
v("AveragePool", [f(1, 2, 6, 6)], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2], ceil_mode=1,
  count_include_pad=1)
v("MaxPool", [f(1, 2, 4, 4)], kernel_shape=[2, 2], outputs=2, storage_order=1, sets=(8, LAST))
v("MaxPool", [whole(INT8, 1, 2, 4, 4)], kernel_shape=[2, 2], sets=(12, LAST))
v("MaxPool", [whole(UINT8, 1, 2, 4, 4)], kernel_shape=[2, 2], sets=(12, LAST))
v("GlobalAveragePool GlobalMaxPool", [f(1, 3, 4, 5)])

v("Conv", [f(1, 2, 5, 5), f(3, 2, 3, 2)], kernel_shape=[3, 2])
v("Conv", [f(1, 2, 5, 5), f(3, 2, 3, 3)], kernel_shape=[2, 2], refused="kernel_shape")
v("Conv", [f(1, 2, 5, 5), f(3, 2, 3, 3), f(3)])
v("Conv", [f(1, 2, 6, 5), f(3, 2, 3, 3)], strides=[2, 1])
v("Conv", [f(1, 2, 5, 5), f(3, 2, 3, 3)], pads=[1, 0, 2, 1])
v("Conv", [f(1, 2, 5, 5), f(3, 2, 2, 2)], dilations=[2, 3])
v("Conv", [f(1, 4, 5, 5), f(6, 2, 3, 3)], group=2)
v("Conv", [f(1, 2, 5, 6), f(3, 2, 3, 2)], auto_pad="SAME_UPPER", strides=[2, 1])
v("Conv", [f(1, 2, 5, 6), f(3, 2, 2, 2)], auto_pad="SAME_LOWER")
v("Conv", [f(1, 2, 9), f(3, 2, 3)], strides=[2], pads=[1, 0])
v("ConvTranspose", [f(1, 2, 3, 3), f(2, 3, 3, 2)], kernel_shape=[3, 2])
v("ConvTranspose", [f(1, 2, 3, 3), f(2, 3, 3, 3)], kernel_shape=[2, 2], refused="kernel_shape")
v("ConvTranspose", [f(1, 2, 3, 3), f(2, 3, 3, 3), f(3)])
v("ConvTranspose", [f(1, 2, 3, 3), f(2, 3, 3, 3)], strides=[2, 1])
v("ConvTranspose", [f(1, 2, 4, 4), f(2, 3, 3, 3)], pads=[1, 0, 1, 1])
v("ConvTranspose", [f(1, 2, 3, 3), f(2, 3, 2, 2)], dilations=[2, 3])
v("ConvTranspose", [f(1, 4, 3, 3), f(4, 2, 2, 2)], group=2)
v("ConvTranspose", [f(1, 2, 3, 3), f(2, 3, 3, 3)], strides=[2, 2], output_padding=[1, 1])
v("ConvTranspose", [f(1, 2, 3, 3), f(2, 3, 3, 3)], strides=[2, 2], output_shape=[6, 8])
v("ConvTranspose", [f(1, 2, 3, 3), f(2, 3, 3, 3)], strides=[2, 2], auto_pad="SAME_UPPER")
v("ConvTranspose", [f(1, 2, 3, 3), f(2, 3, 3, 3)], strides=[2, 2], auto_pad="SAME_LOWER")

# ---- products -------------------------------------------------------------------------------------

v("MatMul", [f(2, 3, 4), f(4, 5)])
v("MatMul", [f(2, 3, 4), f(2, 4, 5)])
v("Gemm", [f(3, 4), f(4, 5), f(5)], alpha=0.5)
v("Gemm", [f(3, 4), f(4, 5), f(3, 1)], beta=-0.5)
v("Gemm", [f(4, 3), f(4, 5), f(3, 5)], transA=1)
v("Gemm", [f(3, 4), f(5, 4), f(1)], transB=1)
v("Gemm", [f(3, 4), f(4, 5)])
v("Gemm", [f(4, 3), f(5, 4), f(5)], transA=1, transB=1, alpha=1.5, beta=2.0)

# ---- arrangement ----------------------------------------------------------------------------------

v("Concat", [f(2, 3), f(2, 2)], axis=1)
v("Concat", [f(2, 3), f(1, 3)], axis=0)
v("Concat", [f(2, 3), f(2, 2)], axis=-1, sets=(11, LAST))
v("Concat", [whole(INT32, 2, 3), whole(INT32, 2, 2)], axis=1)
v("Flatten", [f(2, 3, 4)], axis=2)
v("Flatten", [f(2, 3, 4)], axis=0)
v("Flatten", [f(2, 3, 4)], axis=-1, sets=(11, LAST))
v("Gather", [f(3, 4), ints(2, 0)], axis=1)
v("Gather", [f(3, 4), ints(-1, 0)], axis=1, sets=(11, LAST))
v("Gather", [f(3, 4), a([[2, 0]], INT32)])
v("Reshape", [f(2, 3, 4), ints(0, -1)])
v("Reshape", [f(2, 0, 3), ints(0, 3, 2)], allowzero=1)
v("Transpose", [f(2, 3, 4)], perm=[1, 2, 0])
v("Transpose", [f(2, 3)])
v("Squeeze", [f(1, 3, 1)], axes=[2])
v("Squeeze", [f(1, 3, 1), ints(-1)])
v("Unsqueeze", [f(3, 2)], axes=[0, 2])
v("Unsqueeze", [f(3, 2), ints(0, -1)])
v("Slice", [f(4, 5)], starts=[1, -3], ends=[3, 5])
v("Slice", [f(4, 5)], starts=[1], ends=[3], axes=[1])
v("Slice", [f(4, 5), ints(1, 1), ints(3, 4)])
v("Slice", [f(4, 5), ints(1), ints(3), ints(1)])
v("Slice", [f(4, 5), ints(4), ints(0), ints(1), ints(-2)])
v("Split", [f(4, 6)], outputs=2, axis=1, sets=(FIRST, 17))
v("Split", [f(4, 6)], outputs=2, axis=1, num_outputs=2)
v("Split", [f(4, 7)], outputs=3, axis=1, num_outputs=3)
v("Split", [f(4, 6)], outputs=2, axis=1, split=[2, 4])
v("Split", [f(4, 6), ints(1, 3)], outputs=2)
v("Split", [f(4, 6), ints(1, 5)], outputs=2, axis=1)
v("Expand", [f(3, 1), ints(2, 3, 4)])
v("Tile", [f(2, 3), ints(2, 2)])
v("Pad", [f(3, 4)], pads=[1, 0, 0, 2])
v("Pad", [f(3, 4)], pads=[1, 0, 0, 2], value=1.5)
v("Pad", [f(3, 4), ints(1, 0, 0, 2)])
v("Pad", [f(3, 4), ints(1, 0, 0, 2), a(1.5)])
v("Pad", [f(3, 4), ints(1, 2), None, ints(1)])
for mode in ("reflect", "edge"):
    v("Pad", [f(3, 4)], pads=[1, 0, 0, 2], mode=mode)
    v("Pad", [f(3, 4), ints(1, 0, 0, 2)], mode=mode)
v("Pad", [f(3, 4), ints(1, 0, 0, 2)], mode="wrap", sets=(19, LAST))
v("Pad", [whole(INT32, 3, 4), ints(1, 0, 0, 2), a(7, INT32)])
v("DepthToSpace", [f(1, 8, 2, 3)], blocksize=2)
v("DepthToSpace", [f(1, 8, 2, 3)], blocksize=2, mode="CRD")
v("SpaceToDepth", [f(1, 2, 4, 6)], blocksize=2)
v("SpaceToDepth", [f(1, 2, 4, 6)], blocksize=2, mode="CRD", sets=(28, LAST))
v("Constant", [], value=f(2, 2))
v("Constant", [], value=whole(INT8, 3))
v("Constant", [], value_float=1.5)
v("Constant", [], value_floats=[1.5, 2.5])
v("Constant", [], value_int=3)
v("Constant", [], value_ints=[3, 4])
v("ConstantOfShape", [ints(2, 3)])
v("ConstantOfShape", [ints(2, 3)], value=a([1.5]))
v("ConstantOfShape", [ints(2, 3)], value=a([7], INT32))
v("OneHot", [ints(0, 2, -1), ints(3), a([-1, 2])], axis=0)
v("OneHot", [ints(0, 2, 1), a([3.0]), a([-1, 2])])
v("Range", [a(1.0), a(3.0), a(0.5)])
v("Range", [a(10, INT32), a(1, INT32), a(-3, INT32)])
v("Shape", [f(2, 3, 4)])
v("Shape", [f(2, 3, 4)], start=1)
v("Shape", [f(2, 3, 4)], end=-1)
v("Size", [f(2, 3, 4)])

# ---- Resize ---------------------------------------------------------------------------------------

v("Upsample", [f(1, 2, 2, 3)], mode="linear", scales=[1.0, 1.0, 2.0, 2.0])
v("Upsample", [f(1, 2, 2, 3)], mode="nearest", scales=[1.0, 1.0, 2.0, 3.0])
v("Upsample Resize", [f(1, 2, 2, 3), a([1, 1, 2, 2])], mode="linear", sets=(9, 10))
v("Upsample Resize", [f(1, 2, 2, 3), a([1, 1, 2, 3])], sets=(9, 10))
x, by = f(1, 2, 3, 4), a([1, 1, 2, 1.5])
none = np.array([], dtype=np.float32)
v("Resize", [x, none, by])
v("Resize", [x, None, by], sets=(13, LAST))
v("Resize", [x, none, by], mode="linear")
v("Resize", [x, none, none, ints(1, 2, 5, 7)], mode="linear", sets=(11, 12))
v("Resize", [x, None, None, ints(1, 2, 5, 7)], mode="linear", sets=(13, LAST))
for mode in ("align_corners", "asymmetric", "pytorch_half_pixel", "half_pixel"):
    v("Resize", [x, none, by], mode="linear", coordinate_transformation_mode=mode)
v("Resize", [x, none, by], mode="linear", coordinate_transformation_mode="half_pixel_symmetric", sets=(19, LAST))
for mode in ("floor", "ceil", "round_prefer_ceil"):
    v("Resize", [x, none, a([1, 1, 2, 2])], nearest_mode=mode, coordinate_transformation_mode="asymmetric")
    v("Resize", [x, none, a([1, 1, 0.5, 0.5])], nearest_mode=mode)
v("Resize", [f(1, 1, 5, 5), none, a([1, 1, 1.5, 1.5])], mode="cubic", cubic_coeff_a=-0.5)
v("Resize", [f(1, 1, 5, 5), none, a([1, 1, 1.5, 1.5])], mode="cubic", exclude_outside=1)
roi = a([0, 0, -0.2, 0.1, 1, 1, 0.8, 1.3])
v("Resize", [x, roi, none, ints(1, 2, 4, 4)], mode="linear", coordinate_transformation_mode="tf_crop_and_resize",
  sets=(13, LAST))
v("Resize", [x, roi, none, ints(1, 2, 4, 4)], mode="linear", coordinate_transformation_mode="tf_crop_and_resize",
  extrapolation_value=3.0, sets=(13, LAST))
v("Resize", [f(1, 1, 6, 6), None, a([1, 1, 0.5, 0.5])], mode="linear", antialias=1, sets=(18, LAST))
v("Resize", [x, None, a([2, 1.5])], axes=[2, 3], mode="linear", sets=(18, LAST))
v("Resize", [x, None, None, ints(7, 7)], axes=[2, 3], mode="linear", keep_aspect_ratio_policy="not_larger",
  sets=(18, LAST))
v("Resize", [x, None, None, ints(7, 7)], axes=[2, 3], mode="linear", keep_aspect_ratio_policy="not_smaller",
  sets=(18, LAST))

# ---- recurrent ------------------------------------------------------------------------------------

for op, gates, initials in (("RNN", 1, 1), ("GRU", 3, 1), ("LSTM", 4, 2)):
    seq, batch, width, hidden = 3, 2, 3, 2
    w, r, b = f(1, gates * hidden, width), f(1, gates * hidden, hidden), f(1, 2 * gates * hidden)
    x = f(seq, batch, width)
    two = [x, f(2, gates * hidden, width), f(2, gates * hidden, hidden)]
    full = 2 + (op == "LSTM")
    v(op, [x, w, r], hidden_size=hidden, outputs=full)
    v(op, [x, w, r, b], hidden_size=hidden)
    v(op, [x, w, r, None, a([3, 3], INT32)], hidden_size=hidden)
    v(op, [x, w, r, None, a([3, 2], INT32)], hidden_size=hidden, refused="sequence")
    v(op, [x, w, r], hidden_size=hidden + 1, refused="W has shape")
    v(op, [x, w, r, None, None, f(1, batch, hidden)], hidden_size=hidden)
    v(op, [x, w, r], hidden_size=hidden, direction="reverse")
    v(op, two, hidden_size=hidden, direction="bidirectional", outputs=full)
    v(op, [x, w, r, b], hidden_size=hidden, clip=0.5)
    v(op, [x, w, r], hidden_size=hidden,
      activations={"RNN": ["Relu"], "GRU": ["HardSigmoid", "Tanh"], "LSTM": ["Sigmoid", "Softsign", "Tanh"]}[op])
    names = {"RNN": ["LeakyRelu"], "GRU": ["HardSigmoid", "LeakyRelu"], "LSTM": ["HardSigmoid", "Elu", "Elu"]}[op]
    v(op, [x, w, r], hidden_size=hidden, activations=names, activation_alpha=[0.3, 0.25, 0.5][:len(names)])
    names = {"RNN": ["HardSigmoid"], "GRU": ["HardSigmoid", "Tanh"], "LSTM": ["HardSigmoid", "Tanh", "Tanh"]}[op]
    v(op, [x, w, r], hidden_size=hidden, activations=names, activation_alpha=[0.3], activation_beta=[0.25])
    v(op, [f(batch, seq, width), w, r], hidden_size=hidden, layout=1)
v("GRU", [f(3, 2, 3), f(1, 6, 3), f(1, 6, 2), f(1, 12)], hidden_size=2, linear_before_reset=1)
v("LSTM", [f(3, 2, 3), f(1, 8, 3), f(1, 8, 2), None, None, None, f(1, 2, 2)], hidden_size=2)
v("LSTM", [f(3, 2, 3), f(1, 8, 3), f(1, 8, 2), None, None, None, None, f(1, 6)], hidden_size=2)
v("LSTM", [f(3, 2, 3), f(1, 8, 3), f(1, 8, 2)], hidden_size=2, input_forget=1)

# ---- attention ------------------------------------------------------------------------------------

q, k, val = f(1, 2, 3, 4), f(1, 2, 5, 4), f(1, 2, 5, 4)
new = (23, LAST)
v("Attention", [q, k, val], sets=new)
v("Attention", [q, k, val], sets=new, is_causal=1)
v("Attention", [q, k, val], sets=new, scale=0.25)
v("Attention", [q, k, val], sets=new, softcap=0.5)
v("Attention", [q, k, val], sets=new, softmax_precision=1)
v("Attention", [q, k, val, f(3, 5)], sets=new)
v("Attention", [q, k, val, a([[1, 1, 0, 1, 0], [1, 0, 1, 1, 1], [0, 1, 1, 0, 1]], BOOL)], sets=new)
v("Attention", [q, k, val, None, f(1, 2, 2, 4), f(1, 2, 2, 4)], sets=new, outputs=3)
v("Attention", [q, k, val, None, None, None, ints(4)], sets=(24, LAST))
v("Attention", [f(1, 3, 8), f(1, 5, 4), f(1, 5, 4)], sets=new, q_num_heads=4, kv_num_heads=2)
for mode in (0, 1, 2, 3):
    v("Attention", [q, k, val, f(3, 5)], sets=new, outputs=("o0", "", "", "o3"), qk_matmul_output_mode=mode,
      softcap=0.5)
v("Attention", [q, k, val], sets=(25, LAST), left_window_size=1)
v("Attention", [q, k, val], sets=(25, LAST), right_window_size=1)
v("RotaryEmbedding", [f(1, 2, 3, 4), f(1, 3, 2), f(1, 3, 2)], sets=new)
v("RotaryEmbedding", [f(1, 2, 3, 4), f(5, 2), f(5, 2), a([[4, 0, 2]], INT64)], sets=new)
v("RotaryEmbedding", [f(1, 2, 3, 4), f(1, 3, 2), f(1, 3, 2)], sets=new, interleaved=1)
v("RotaryEmbedding", [f(1, 3, 8), f(1, 3, 1), f(1, 3, 1)], sets=new, num_heads=2, rotary_embedding_dim=2)
v("RotaryEmbedding", [f(1, 2, 3, 8), f(1, 3, 2), f(1, 3, 2)], sets=new, rotary_embedding_dim=4)

# ---- quantisation ---------------------------------------------------------------------------------

x = f(2, 3, 4)
zeros = {INT8: -3, UINT8: 120, INT16: -300, UINT16: 32000}
small = {INT8: 0.0125, UINT8: 0.0125, INT16: 0.00005, UINT16: 0.00005}
for kind, zero in zeros.items():
    sets = (10, LAST) if kind in (INT8, UINT8) else (21, LAST)
    v("QuantizeLinear", [x, a(small[kind]), a(zero, kind)], sets=sets)
    v("QuantizeLinear", [x, a([small[kind], 0.02, 0.03]), a([zero, zero + 1, zero + 2], kind)],
      sets=(max(13, sets[0]), LAST))
    v("QuantizeLinear", [x, a([small[kind], 0.02]), a([zero, zero + 1], kind)], axis=0,
      sets=(max(13, sets[0]), LAST))
    v("QuantizeLinear", [x, a(0.0125)], output_dtype=kind)
    v("QuantizeLinear", [x, a([0.0125, 0.02, 0.025, 0.03])], output_dtype=kind, axis=-1)
    v("DequantizeLinear", [whole(kind, 2, 3, 4), a(small[kind]), a(zero, kind)], sets=sets)
    v("DequantizeLinear", [whole(kind, 2, 3, 4), a(small[kind])], sets=sets)
    v("DequantizeLinear", [whole(kind, 2, 3, 4), a([small[kind], 0.02, 0.03]), a([zero, 1, 2], kind)],
      sets=(max(13, sets[0]), LAST))
    v("DequantizeLinear", [whole(kind, 2, 3, 4), a([small[kind], 0.02]), a([zero, 1], kind)], axis=0,
      sets=(max(13, sets[0]), LAST))
v("QuantizeLinear", [x, a(0.0125)])
v("QuantizeLinear", [x, a(0.0125), a(3, INT8)], output_dtype=UINT8, refused="output_dtype")
v("QuantizeLinear", [x, a(0.0125), a(3, INT8)], saturate=1)
v("QuantizeLinear", [x, a(0.0125), a(3, INT8)], precision=1)
v("QuantizeLinear", [x, a(0.0125), a(3, INT8)], precision=10, refused="precision")
v("QuantizeLinear", [x, a(0.0125)], output_dtype=17, refused="output_dtype")
v("DequantizeLinear", [whole(INT8, 2, 3), a(0.0125)], output_dtype=17, refused="output_dtype")
v("Cast", [f(4)], to=17, sets=(19, LAST), refused="17")
v("QuantizeLinear", [f(2, 4), a([[0.01, 0.02], [0.03, 0.04]]), a([[1, 2], [3, 4]], INT8)], block_size=2, axis=1)
v("QuantizeLinear", [f(4, 3), a([[0.01, 0.02, 0.015], [0.03, 0.04, 0.02]]), a([[1, 2, 3], [3, 4, 5]], UINT8)],
  block_size=2, axis=0)
v("DequantizeLinear", [whole(INT32, 2, 3, low=-99, high=99), a(0.0125)])
v("DequantizeLinear", [whole(INT32, 3, low=-99, high=99), a([0.5, 0.25, 0.125])], axis=0, sets=(13, LAST))
v("DequantizeLinear", [whole(INT8, 2, 4), a([[0.01, 0.02], [0.03, 0.04]]), a([[1, 2], [3, 4]], INT8)],
  block_size=2, axis=1)
v("DequantizeLinear", [whole(INT8, 4, 3), a([[0.01, 0.02, 0.015], [0.03, 0.04, 0.02]])], block_size=2, axis=0)
v("DequantizeLinear", [whole(INT8, 2, 3), a(0.0125)], output_dtype=FLOAT)
v("DequantizeLinear", [whole(INT8, 2, 3), a(0.0125)], output_dtype=FLOAT16)
v("DynamicQuantizeLinear", [f(3, 4)], outputs=3)

for kind, zero in ((UINT8, 120), (INT8, -3)):
    conv = [whole(kind, 1, 2, 5, 5), a(0.02), a(zero, kind), whole(INT8, 3, 2, 3, 3, low=-9, high=9)]
    z = [a(0.03), a(zero, kind)]
    v("QLinearConv", conv + [a(0.05), a(0, INT8)] + z)
    v("QLinearConv", conv + [a([0.05, 0.02, 0.03]), a([0, 0, 0], INT8)] + z)
    v("QLinearConv", conv + [a(0.05), a(0, INT8)] + z + [whole(INT32, 3, low=-999, high=999)])
    v("QLinearConv", conv + [a(0.05), a(0, INT8)] + z, kernel_shape=[3, 3], strides=[2, 1])
    v("QLinearConv", conv + [a(0.05), a(0, INT8)] + z, pads=[1, 0, 2, 1])
    v("QLinearConv", conv + [a(0.05), a(0, INT8)] + z, auto_pad="SAME_UPPER", strides=[2, 2])
    v("QLinearConv", conv + [a(0.05), a(0, INT8)] + z, dilations=[2, 1])
    v("QLinearConv", [whole(kind, 1, 4, 5, 5), a(0.02), a(zero, kind), whole(INT8, 6, 2, 3, 3, low=-9, high=9),
                      a(0.05), a(0, INT8)] + z, group=2)
    v("QLinearMatMul", [whole(kind, 3, 4), a(0.02), a(zero, kind), whole(kind, 4, 5), a(0.015), a(zero, kind)] + z)
v("QLinearMatMul", [whole(UINT8, 3, 4), a(0.02), a(120, UINT8), whole(INT8, 4, 2), a([0.01, 0.02]),
                    a([1, -2], INT8), a(0.03), a(110, UINT8)])
v("QLinearMatMul", [whole(INT8, 2, 3, 4), a(0.02), a(1, INT8), whole(INT8, 4, 2), a(0.01), a(1, INT8), a(0.03),
                    a(5, INT8)])
v("ConvInteger", [whole(UINT8, 1, 2, 5, 5), whole(UINT8, 3, 2, 3, 3)])
v("ConvInteger", [whole(UINT8, 1, 2, 5, 5), whole(UINT8, 3, 2, 3, 3), a(120, UINT8)])
v("ConvInteger", [whole(UINT8, 1, 2, 5, 5), whole(UINT8, 3, 2, 3, 3), a(0, UINT8), a(7, UINT8)])
v("ConvInteger", [whole(UINT8, 1, 2, 5, 5), whole(UINT8, 3, 2, 3, 2)], kernel_shape=[3, 2], strides=[2, 1])
v("ConvInteger", [whole(UINT8, 1, 2, 5, 5), whole(UINT8, 3, 2, 3, 3)], pads=[1, 0, 2, 1])
v("ConvInteger", [whole(UINT8, 1, 2, 5, 5), whole(UINT8, 3, 2, 3, 3), a(7, UINT8)], auto_pad="SAME_UPPER",
  strides=[2, 2])
v("ConvInteger", [whole(UINT8, 1, 2, 5, 5), whole(UINT8, 3, 2, 2, 2)], dilations=[2, 1])
v("ConvInteger", [whole(UINT8, 1, 4, 5, 5), whole(UINT8, 4, 2, 3, 3)], group=2)
v("MatMulInteger", [whole(UINT8, 3, 4), whole(INT8, 4, 2)])
v("MatMulInteger", [whole(UINT8, 3, 4), whole(INT8, 4, 2), a(120, UINT8)])
v("MatMulInteger", [whole(UINT8, 3, 4), whole(INT8, 4, 2), None, a([1, -2], INT8)])

# ---- operators of ONNX Runtime --------------------------------------------------------------------

ms = "com.microsoft"
for kind, zero in ((UINT8, 120), (INT8, -3)):
    z = [a(0.03), a(zero, kind)]
    x = [whole(kind, 2, 3, 4), a(0.02), a(zero, kind)]
    v("QLinearAdd QLinearMul", x + [whole(kind, 3, 4), a(0.015), a(zero + 1, kind)] + z, domain=ms)
    v("QLinearSigmoid", x + [a(0.004), a(-128 if kind == INT8 else 0, kind)], domain=ms)
    v("QLinearLeakyRelu", x + z, domain=ms, alpha=0.25)
    image = [whole(kind, 1, 2, 5, 5), a(0.02), a(zero, kind)]
    v("QLinearGlobalAveragePool", image + z, domain=ms)
    v("QLinearGlobalAveragePool", [whole(kind, 1, 5, 5, 2), a(0.02), a(zero, kind)] + z, domain=ms, channels_last=1,
      refused="channels_last")
    v("QLinearAveragePool", image + z, domain=ms, kernel_shape=[3, 2])
    v("QLinearAveragePool", image + z, domain=ms, kernel_shape=[3, 3], strides=[2, 1])
    v("QLinearAveragePool", image + z, domain=ms, kernel_shape=[3, 3], pads=[1, 0, 1, 1])
    v("QLinearAveragePool", image + z, domain=ms, kernel_shape=[3, 3], pads=[1, 0, 1, 1], count_include_pad=1)
    v("QLinearAveragePool", image + z, domain=ms, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)
    v("QLinearAveragePool", image + z, domain=ms, kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER")
    left = [whole(kind, 3, 4), a(0.02), a(zero, kind)]
    right = [whole(INT8 if kind == UINT8 else kind, 4, 5), a(0.015), a(1, INT8)]
    turned = [np.ascontiguousarray(right[0].T), right[1], right[2]]
    per = [a([0.01, 0.02, 0.015, 0.03, 0.005]), a([0, 0, 0, 0, 0], INT8)]
    bias = [whole(INT32, 5, low=-2000, high=2000)]
    v("QGemm", left + right + bias + z, domain=ms, alpha=0.5)
    v("QGemm", left + right + [None] + z, domain=ms, alpha=0.5)
    v("QGemm", left + right + bias + z, domain=ms)
    v("QGemm", left + turned + bias + z, domain=ms, transB=1)
    v("QGemm", [np.ascontiguousarray(left[0].T)] + left[1:] + right + bias + z, domain=ms, transA=1)
    v("QGemm", left + [right[0]] + per + bias + z, domain=ms)
    v("QGemm", left + [turned[0]] + per + bias + z, domain=ms, transB=1, alpha=1.5)
    v("QGemm", left + right + bias, domain=ms, alpha=0.5, label="without a scale of the result")
v("Gelu QuickGelu", [f(3, 4)], domain=ms)
v("QuickGelu", [f(3, 4)], domain=ms, alpha=1.25)
v("BiasGelu", [f(3, 4), f(4)], domain=ms)
v("FastGelu", [f(3, 4)], domain=ms)
v("FastGelu", [f(3, 4), f(4)], domain=ms)
x, s, g, b = f(1, 3, 4), f(1, 3, 4), positive(4), f(4)
v("SkipLayerNormalization", [x, s, g], domain=ms, epsilon=0.25)
v("SkipLayerNormalization", [x, s, g, b], domain=ms)
v("SkipLayerNormalization", [x, s, g, None, f(4)], domain=ms)
v("SkipLayerNormalization", [x, s, g, b, f(4)], domain=ms, outputs=("o0", "", "", "o3"))
v("SkipSimplifiedLayerNormalization", [x, s, g], domain=ms, epsilon=0.25)
v("SkipSimplifiedLayerNormalization", [x, s, g, f(4)], domain=ms, outputs=("o0", "", "", "o3"))
v("SimplifiedLayerNormalization", [x, g], epsilon=0.25, sets=(17, 17))
v("SimplifiedLayerNormalization", [f(1, 3, 4), positive(3, 4)], axis=1, sets=(17, 17))
v("SimplifiedLayerNormalization", [f(1, 3, 4), g], stash_type=1, sets=(17, 17))
rows, angles = f(1, 3, 8), f(6, 2)
v("RotaryEmbedding", [f(1, 2, 3, 4), a([[4, 0, 2]], INT64), angles, f(6, 2)], domain=ms)
v("RotaryEmbedding", [rows, a([[4, 0, 2]], INT64), angles, f(6, 2)], domain=ms)
v("RotaryEmbedding", [f(1, 2, 3, 4), a([1], INT64), angles, f(6, 2)], domain=ms, label="one position")
v("RotaryEmbedding", [f(1, 2, 3, 4), a([[4, 0, 2]], INT64), angles, f(6, 2)], domain=ms, interleaved=1)
v("RotaryEmbedding", [rows, a([[4, 0, 2]], INT64), f(6, 1), f(6, 1)], domain=ms, num_heads=2, rotary_embedding_dim=2)
v("RotaryEmbedding", [f(1, 2, 3, 4), a([[4, 0, 2]], INT64), angles, f(6, 2)], domain=ms, scale=0.5, refused="scale")
q, k, val = f(1, 3, 8), f(1, 5, 8), f(1, 5, 8)
heads = dict(domain=ms, num_heads=2)
mask = a([[1, 1, 0, 1, 0]], INT32)
v("MultiHeadAttention", [q, k, val], **heads)
v("MultiHeadAttention", [q, k, val], scale=0.25, **heads)
v("MultiHeadAttention", [q, q, q], unidirectional=1, **heads)
v("MultiHeadAttention", [q, k, val, f(24)], **heads)
v("MultiHeadAttention", [q, k, val, None, mask], **heads)
v("MultiHeadAttention", [q, k, val, None, mask], mask_filter_value=-1.5, **heads)
v("MultiHeadAttention", [q, k, val, None, a([3], INT32)], refused="mask", **heads)
v("MultiHeadAttention", [q, k, val, None, None, f(1, 2, 3, 5)], **heads)
v("MultiHeadAttention", [q, k, val, None, mask, f(1, 2, 3, 5)], **heads)
v("MultiHeadAttention", [q, q, q, None, None, None, f(1, 2, 2, 4), f(1, 2, 2, 4)], outputs=3, **heads)
x, w, b = f(1, 3, 8), f(8, 24), f(24)
mask = a([[1, 0, 1]], INT32)
v("Attention", [x, w, b], **heads)
v("Attention", [x, w, b], scale=0.25, **heads)
v("Attention", [x, w, b], unidirectional=1, **heads)
v("Attention", [x, w, b, mask], **heads)
v("Attention", [x, w, b, mask], mask_filter_value=-1.5, **heads)
v("Attention", [x, w, b, mask], mask_filter_value=-1.5, unidirectional=1, **heads)
v("Attention", [x, w, b, a([2], INT32)], refused="mask", **heads)
v("Attention", [x, w, b, a([[[1, 1, 0], [1, 0, 1], [0, 1, 1]]], INT32)], refused="mask", **heads)
v("Attention", [x, w, b, None, None, f(1, 2, 3, 3)], **heads)
v("Attention", [x, w, b, mask, None, f(1, 2, 3, 3)], **heads)
v("Attention", [x, f(8, 20), f(20)], qkv_hidden_sizes=[8, 8, 4], refused="qkv_hidden_sizes", **heads)
v("Attention", [x, w, b], do_rotary=1, refused="do_rotary", **heads)

# ---- added later, so that the values drawn above stay ---------------------------------------------

v("GroupNormalization", [f(1, 4, 3, 4), positive(2), f(2)], num_groups=2, sets=(18, 20))
v("GroupNormalization", [f(1, 4, 3, 4), positive(2), f(2)], num_groups=2, epsilon=0.5, sets=(18, 20))
v("GroupNormalization", [f(1, 4, 3, 4), positive(4), f(4)], num_groups=2, sets=(21, LAST))
v("GroupNormalization", [f(1, 4, 3, 4), positive(4), f(4)], num_groups=2, epsilon=0.5, sets=(21, LAST))
v("GroupNormalization", [f(1, 4, 3, 4), positive(4), f(4)], num_groups=2, stash_type=1, sets=(21, LAST))

# ---- indices --------------------------------------------------------------------------------------

v("GatherElements", [f(3, 4), whole(INT64, 2, 4, low=-3, high=2)])
v("GatherElements", [f(3, 4), whole(INT64, 3, 2, low=-4, high=3)], axis=1)
v("GatherND", [f(3, 4), np.array([[0, 1], [2, -1]])])
v("GatherND", [f(2, 3, 4), np.array([[[1], [0]], [[2], [-1]]], np.int64)], batch_dims=1, sets=(12, LAST))
v("Scatter ScatterElements", [f(3, 4), np.array([[0, 1, 2, 0], [2, 0, 1, -2]], np.int64), f(2, 4)])
v("Scatter ScatterElements", [f(3, 4), np.array([[0, 1], [3, 2], [1, -4]], np.int64), f(3, 2)], axis=1)
for how in ("add", "mul", "max", "min"):
    v("ScatterElements", [f(3, 4), np.array([[0, 1, 2, 0], [0, 0, 1, -2]], np.int64), f(2, 4)], reduction=how,
      sets=(16 if how in ("add", "mul") else 18, LAST))
    v("ScatterND", [f(3, 4), np.array([[0], [0]], np.int64), f(2, 4)], reduction=how, sets=(16 if how in ("add", "mul") else 18, LAST))
v("ScatterND", [f(3, 4), np.array([[0], [-1]], np.int64), f(2, 4)])
v("ReverseSequence", [f(4, 3, 2), ints(2, 4, 1)])
v("ReverseSequence", [f(3, 4, 2), ints(2, 4, 1)], batch_axis=0, time_axis=1)
v("Trilu", [f(4, 5)])
v("Trilu", [f(4, 5), np.array(1, np.int64)])
v("Trilu", [f(4, 5), np.array(-1, np.int64)], upper=0)
distinct = (rng.permutation(24).reshape(2, 12) / 8).astype(np.float32)
v("TopK", [distinct], outputs=2, k=3, axis=0 + 1)
v("TopK", [distinct.T.copy()], outputs=2, k=3, axis=0)
v("TopK", [distinct, ints(3)], outputs=2)
v("TopK", [distinct.T.copy(), ints(3)], outputs=2, axis=0)
v("TopK", [distinct, ints(3)], outputs=2, largest=0, sets=(11, LAST))
v("TopK", [distinct, ints(3)], outputs=2, sorted=1, sets=(11, LAST))
v("BitShift", [whole(UINT8, 6), whole(UINT8, 6, low=0, high=7)], direction="LEFT")
v("BitShift", [whole(UINT8, 6), whole(UINT8, 6, low=0, high=7)], direction="RIGHT")
v("BitwiseAnd BitwiseOr BitwiseXor", [whole(INT32, 2, 3), whole(INT32, 3)])
v("BitwiseNot", [whole(INT8, 6)])
v("Range", [a(1.0), a(9.0), a(2.0)], stash_type=1, sets=(27, LAST))
v("CumProd", [positive(2, 4), a(1, INT64)], exclusive=1)
v("CumProd", [positive(2, 4), a(0, INT64)], reverse=1)
v("Hardmax", [f(2, 3, 4)], axis=1)
v("IsNaN", [a([1, np.nan, 2])])
v("IsInf", [a([1, np.inf, -np.inf])], detect_negative=0)
v("IsInf", [a([1, np.inf, -np.inf])], detect_positive=0)

# ---- signals and windows --------------------------------------------------------------------------

v("Sin Cos Tan Atan", [f(2, 5)])
v("Asin Acos", [f(2, 5, low=-1, high=1)])
v("Sinh Cosh Asinh", [f(2, 5)])
v("Acosh", [f(2, 5, low=1, high=3)])
v("Atanh", [f(2, 5, low=-0.5, high=0.5)])
v("HannWindow HammingWindow BlackmanWindow", [np.array(8, np.int64)])
v("HannWindow HammingWindow BlackmanWindow", [np.array(8, np.int64)], periodic=0)
v("HannWindow HammingWindow BlackmanWindow", [np.array(8, np.int64)], output_datatype=FLOAT)
mel = [np.array(4, np.int64), np.array(16, np.int64), np.array(8000, np.int64), a(0.0), a(4000.0)]
v("MelWeightMatrix", mel)
v("MelWeightMatrix", mel, output_datatype=FLOAT)
v("DFT", [f(1, 6, 1)], axis=1, sets=(17, 19))
v("DFT", [f(2, 4, 6, 1)], axis=2, sets=(17, 19))
v("DFT", [f(1, 6, 1), np.array(4, np.int64)], axis=1, sets=(17, 19))
v("DFT", [f(1, 6, 1), np.array(4, np.int64), np.array(1, np.int64)], sets=(20, LAST))
v("DFT", [f(2, 4, 6, 1), None, np.array(1, np.int64)], sets=(20, LAST))
v("DFT", [f(1, 6, 1)], onesided=1)
v("DFT", [f(1, 6, 2)], inverse=1)
signal = f(1, 24, 1)
v("STFT", [signal, np.array(4, np.int64), positive(8)])
v("STFT", [signal, np.array(4, np.int64), None, np.array(8, np.int64)])
v("STFT", [signal, np.array(4, np.int64), positive(8), np.array(8, np.int64)], onesided=0)
v("Einsum", [f(2, 3), f(3, 4)], equation="ij,jk->ik")
v("LpPool", [f(1, 2, 6, 6)], kernel_shape=[2, 2])
v("LpPool", [f(1, 2, 6, 6)], kernel_shape=[2, 2], p=1)
v("LpPool", [f(1, 2, 6, 6)], kernel_shape=[3, 3], strides=[2, 2])
v("LpPool", [f(1, 2, 6, 6)], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
v("LpPool", [f(1, 2, 7, 7)], kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_LOWER")
v("LpPool", [f(1, 2, 6, 6)], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, sets=(18, LAST))
v("LpPool", [f(1, 2, 6, 6)], kernel_shape=[2, 2], dilations=[2, 2], sets=(18, LAST))
v("GlobalLpPool", [f(1, 2, 4, 5)], p=1)
v("LpNormalization", [f(2, 3, 4)], axis=1)
v("LpNormalization", [f(2, 3, 4)], p=1)
v("MeanVarianceNormalization", [f(2, 3, 4, 4)], axes=[2, 3])
v("Shrink", [f(2, 5)], bias=0.5)
v("Shrink", [f(2, 5)], lambd=1.0)
v("Shrink", [f(2, 5)], lambd=0.75, bias=0.75)
v("SwiGLU", [f(2, 5), f(2, 5)], alpha=1.5)
blocks = f(1, 8, 9)
v("Col2Im", [blocks, ints(4, 4), ints(2, 2)])
v("Col2Im", [f(1, 8, 4), ints(4, 4), ints(2, 2)], strides=[2, 2])
v("Col2Im", [f(1, 8, 25), ints(4, 4), ints(2, 2)], pads=[1, 1, 1, 1])
v("Col2Im", [f(1, 8, 4), ints(4, 4), ints(2, 2)], dilations=[2, 2])
grid = f(1, 3, 4, 2, low=-1.25, high=1.25)
v("GridSample", [f(1, 2, 5, 6), grid], align_corners=1)
v("GridSample", [f(1, 2, 5, 6), grid], mode="nearest")
v("GridSample", [f(1, 2, 5, 6), grid], mode="bicubic", sets=(16, 19))
v("GridSample", [f(1, 2, 5, 6), grid], mode="cubic", sets=(20, LAST))
v("GridSample", [f(1, 2, 5, 6), grid], padding_mode="border")
v("GridSample", [f(1, 2, 5, 6), grid], padding_mode="reflection")

# ---- quantisers of any width ----------------------------------------------------------------------

qonnx = "qonnx.custom_op.general"
bits = [f(3, 4), a(0.25), a(0.0), a(4.0)]
v("Quant", bits, domain=qonnx)
v("Quant", bits, domain=qonnx, signed=0)
v("Quant", [f(3, 4, low=-3, high=3), a(0.25), a(0.0), a(4.0)], domain=qonnx, narrow=1)
v("Quant", [f(3, 4), a(0.3125), a(0.0), a(4.0)], domain=qonnx, rounding_mode="FLOOR")
v("BipolarQuant", [f(3, 4), a(0.25)], domain=qonnx)

# ---- classical machine learning -------------------------------------------------------------------

ml = "ai.onnx.ml"
rows = f(6, 3)
v("ArrayFeatureExtractor", [f(2, 4), ints(0, 2)], domain=ml)
v("Binarizer", [rows], domain=ml, threshold=0.5)
v("Imputer", [a([[1, 2, 9], [9, 3, 4]])], domain=ml, imputed_value_floats=[5.0, 6.0, 7.0], replaced_value_float=9.0)
v("Scaler", [rows], domain=ml, offset=[0.5, 0.25, 1.0], scale=[2.0, 1.0, 0.5])
v("Normalizer", [positive(3, 4)], domain=ml, norm="L1")
v("LabelEncoder", [whole(INT64, 6, low=0, high=3)], domain=ml, keys_int64s=[0, 1, 2], values_int64s=[10, 20, 30],
  default_int64=7)
v("LabelEncoder", [whole(INT64, 6, low=0, high=3)], domain=ml, keys_int64s=[0, 1, 2], values_floats=[1.5, 2.5, 3.5],
  default_float=0.25)
v("LabelEncoder", [a([0, 1, 2, 3])], domain=ml, keys_floats=[0.0, 1.0, 2.0], values_int64s=[10, 20, 30])
v("LinearRegressor", [rows], domain=ml, coefficients=[0.5, -0.25, 1.0, 0.125, 2.0, 0.5], intercepts=[0.125, 1.0],
  targets=2)
v("LinearRegressor", [rows], domain=ml, coefficients=[0.5, -0.25, 1.0, 0.125, 2.0, 0.5], intercepts=[0.125, 1.0],
  targets=2, post_transform="SOFTMAX")
three = dict(coefficients=[0.5, -0.25, 1.0, 0.125, 2.0, 0.5, -1.0, 0.25, 0.5], classlabels_ints=[3, 5, 7])
v("LinearClassifier", [rows], outputs=2, domain=ml, intercepts=[0.125, 0.0, 0.5], post_transform="SOFTMAX", **three)
v("LinearClassifier", [rows], outputs=2, domain=ml, intercepts=[0.125, 0.0, 0.5], multi_class=1, **three)
v("LinearClassifier", [rows], outputs=2, domain=ml, intercepts=[0.125, 0.0, 0.5], refused="texts",
  coefficients=three["coefficients"], classlabels_strings=["a", "b", "c"])
tree = dict(nodes_treeids=[0, 0, 0, 0, 0, 1, 1, 1], nodes_nodeids=[0, 1, 2, 3, 4, 0, 1, 2],
            nodes_featureids=[0, 1, 0, 0, 0, 2, 0, 0],
            nodes_modes=["BRANCH_LEQ", "BRANCH_GT", "LEAF", "LEAF", "LEAF", "BRANCH_LT", "LEAF", "LEAF"],
            nodes_values=[0.125, -0.25, 0.0, 0.0, 0.0, 0.0625, 0.0, 0.0],
            nodes_truenodeids=[1, 2, 0, 0, 0, 1, 0, 0], nodes_falsenodeids=[4, 3, 0, 0, 0, 2, 0, 0])
leaves = [[0, 0, 0, 1, 1], [2, 3, 4, 1, 2]]
targets = dict(target_treeids=leaves[0], target_nodeids=leaves[1], target_ids=[0, 0, 1, 0, 1],
               target_weights=[1.0, 2.0, 3.0, 10.0, 20.0], n_targets=2)
v("TreeEnsembleRegressor", [rows], domain=ml, **tree, **targets)
v("TreeEnsembleRegressor", [rows], domain=ml, base_values=[0.5], **tree,
  **dict(targets, target_ids=[0] * 5, n_targets=1))
v("TreeEnsembleRegressor", [rows], domain=ml, aggregate_function="MAX", **tree, **targets)
v("TreeEnsembleRegressor", [rows], domain=ml, post_transform="SOFTMAX", **tree, **targets)
v("TreeEnsembleRegressor", [a([[np.nan, 1, 2], [1, np.nan, 0]])], domain=ml,
  nodes_missing_value_tracks_true=[1, 1, 0, 0, 0, 1, 0, 0], **tree, **targets)
v("TreeEnsembleRegressor", [rows], domain=ml, nodes_hitrates=[1.0] * 8, **tree, **targets)
classes = dict(class_treeids=leaves[0], class_nodeids=leaves[1], class_ids=[0, 1, 2, 0, 1],
               class_weights=[0.5, 0.25, 0.375, 0.125, 0.25])
v("TreeEnsembleClassifier", [rows], outputs=2, domain=ml, classlabels_int64s=[4, 5, 6], **tree, **classes)
v("TreeEnsembleClassifier", [rows], outputs=2, domain=ml, classlabels_int64s=[4, 5, 6], base_values=[0.0, 1.0, 0.5],
  **tree, **classes)
v("TreeEnsembleClassifier", [rows], outputs=2, domain=ml, classlabels_int64s=[4, 5, 6], post_transform="SOFTMAX",
  **tree, **classes)
v("TreeEnsembleClassifier", [a([[np.nan, 1, 2], [1, np.nan, 0]])], outputs=2, domain=ml, classlabels_int64s=[4, 5, 6],
  nodes_missing_value_tracks_true=[1, 1, 0, 0, 0, 1, 0, 0], **tree, **classes)
v("TreeEnsembleClassifier", [rows], outputs=2, domain=ml, classlabels_int64s=[4, 5, 6], nodes_hitrates=[1.0] * 8,
  **tree, **classes)
v("TreeEnsembleClassifier", [rows], outputs=2, domain=ml, classlabels_strings=["a", "b", "c"], refused="texts",
  **tree, **classes)
ensemble = dict(n_targets=2, tree_roots=[0, 2], nodes_featureids=[0, 1, 2], nodes_modes=a([0, 3, 1], UINT8),
                nodes_splits=a([0.125, -0.25, 0.0625]), nodes_truenodeids=[1, 0, 3], nodes_trueleafs=[0, 1, 1],
                nodes_falsenodeids=[2, 1, 4], nodes_falseleafs=[1, 1, 1], leaf_targetids=[0, 0, 1, 0, 1],
                leaf_weights=a([1.0, 2.0, 3.0, 10.0, 20.0]))
v("TreeEnsemble", [rows], domain=ml, **ensemble)
for kind in (0, 2, 3):
    v("TreeEnsemble", [rows], domain=ml, aggregate_function=kind, **dict(ensemble, leaf_targetids=[0, 0, 1, 1, 0]))
for kind in (1, 2, 3):
    v("TreeEnsemble", [rows], domain=ml, post_transform=kind, **dict(ensemble, leaf_weights=a([1, 0, 2, 0, -1])))
v("TreeEnsemble", [rows], domain=ml, post_transform=4, refused="post_transform", **ensemble)
v("TreeEnsemble", [rows], domain=ml, nodes_hitrates=a([1.0, 2.0, 3.0]), **ensemble)
v("TreeEnsemble", [a([[np.nan, 1, 2], [1, np.nan, 0]])], domain=ml,
  nodes_missing_value_tracks_true=[1, 1, 0], **ensemble)
v("TreeEnsemble", [a([[0, 1, 2], [1, 3, 0], [2, 1, 1], [3, 2, 2]])], domain=ml,
  membership_values=a([0.5, 1, 3, np.nan, 1, 2, np.nan]), **dict(ensemble, nodes_modes=a([6, 5, 6], UINT8)))
v("TreeEnsemble", [rows], domain=ml, **dict(ensemble, nodes_modes=a([6, 5, 6], UINT8)), refused="membership_values")
v("TreeEnsemble", [a([[0, 1, 2], [1, 3, 0], [2, 1, 1], [3, 2, 2]])], domain=ml,
  **dict(ensemble, nodes_modes=a([4, 2, 5], UINT8), nodes_splits=a([1.0, 2.0, 2.0])))
machine = dict(support_vectors=[0.5, -1.0, 0.25, 1.5, 0.0, -0.5, -0.75, 1.0, 1.0, 0.25, 0.5, -1.25],
               kernel_params=[0.375, 0.5, 2.0])
for kind in ("LINEAR", "POLY", "RBF", "SIGMOID"):
    v("SVMRegressor", [rows], domain=ml, kernel_type=kind, n_supports=4, rho=[0.25],
      coefficients=[1.0, -0.5, 0.75, -1.25], **machine)
v("SVMRegressor", [rows], domain=ml, kernel_type="RBF", n_supports=4, rho=[0.125], one_class=1,
  coefficients=[1.0, -0.5, 0.75, -1.25], **machine)
v("SVMRegressor", [rows], domain=ml, rho=[0.25], coefficients=[1.0, -0.5, 0.75])
v("SVMRegressor", [rows], domain=ml, rho=[0.25], coefficients=[1.0, -0.5, 0.75], post_transform="LOGISTIC",
  refused="post_transform")
three = dict(classlabels_ints=[3, 5, 7], vectors_per_class=[2, 1, 1], rho=[0.25, -0.125, 0.5],
             coefficients=[1.0, 0.5, -1.5, 0.75, 0.25, 1.25, -0.75, -0.5], **machine)
two = dict(classlabels_ints=[3, 5], vectors_per_class=[2, 2], rho=[0.25], coefficients=[1.0, 0.5, -1.5, 0.75],
           **machine)
for kind in ("LINEAR", "POLY", "RBF", "SIGMOID"):
    v("SVMClassifier", [rows], outputs=2, domain=ml, kernel_type=kind, **three)
    v("SVMClassifier", [rows], outputs=2, domain=ml, kernel_type=kind, **two)
v("SVMClassifier", [rows], outputs=2, domain=ml, kernel_type="RBF", prob_a=[-1.5, -2.0, -0.75],
  prob_b=[0.125, 0.0, -0.25], **three)
v("SVMClassifier", [rows], outputs=2, domain=ml, kernel_type="RBF", prob_a=[-1.5], prob_b=[0.125], **two)
for kind in ("LOGISTIC", "SOFTMAX"):
    v("SVMClassifier", [rows], outputs=2, domain=ml, kernel_type="POLY", post_transform=kind, **three)
    v("SVMClassifier", [rows], outputs=2, domain=ml, kernel_type="POLY", post_transform=kind, label="evaluator", **two)
v("SVMClassifier", [rows], outputs=2, domain=ml, classlabels_ints=[3, 5, 7], rho=[0.25, 0.5, 0.75],
  coefficients=[1.0, -0.5, 0.75, -1.25, 0.25, 0.5, -0.75, 1.0, 0.5])
v("SVMClassifier", [rows], outputs=2, domain=ml, kernel_type="RBF",
  **dict(two, coefficients=[1.0, 0.5, 1.5, 0.75]))
v("SVMClassifier", [rows], outputs=2, domain=ml, kernel_type="RBF", refused="texts",
  **{**{k: x for k, x in two.items() if k != "classlabels_ints"}, "classlabels_strings": ["a", "b"]})

# ---- fused by ONNX Runtime ------------------------------------------------------------------------

image, kernel = f(1, 2, 5, 5), f(3, 2, 3, 3)
for kind in ("Relu", "Sigmoid", "Tanh"):
    v("FusedConv", [image, kernel, f(3)], domain=ms, activation=kind)
v("FusedConv", [image, kernel], domain=ms, activation="LeakyRelu", activation_params=[0.25])
v("FusedConv", [image, kernel, None, f(1, 3, 3, 3)], domain=ms, activation="Relu")
v("FusedConv", [image, kernel], domain=ms, activation="Relu", strides=[2, 2])
v("FusedConv", [image, kernel], domain=ms, activation="Relu", pads=[1, 0, 1, 0])
v("FusedConv", [image, kernel], domain=ms, activation="Relu", dilations=[2, 2])
v("FusedConv", [image, kernel], domain=ms, activation="Relu", auto_pad="SAME_UPPER")
v("FusedConv", [f(1, 4, 5, 5), f(4, 2, 3, 3)], domain=ms, activation="Relu", group=2)
v("FusedConv", [image, kernel], domain=ms, activation="Relu", kernel_shape=[3, 3])
v("FusedMatMul", [f(4, 3), f(4, 5)], domain=ms, transA=1)
v("FusedMatMul", [f(3, 4), f(5, 4)], domain=ms, transB=1, alpha=0.5)
v("FusedMatMul", [f(4, 3), f(5, 4)], domain=ms, transA=1, transB=1)
v("FusedMatMul", [f(4, 3), f(5, 4)], domain=ms, transA=1, transB=1, alpha=0.5)
v("FusedMatMul", [f(4, 3), f(4, 5)], domain=ms, transA=1, alpha=0.5)
v("FusedMatMul", [f(3, 4), f(4, 5)], domain=ms, alpha=0.5)
v("QLinearSoftmax", [whole(UINT8, 2, 5), a(0.0625), a(128, UINT8), a(1 / 256), a(0, UINT8)], domain=ms, axis=0, opset=13)
v("QLinearSoftmax", [whole(INT8, 2, 5), a(0.0625), a(3, INT8), a(1 / 256), a(-128, INT8)], domain=ms, axis=-1, opset=13)
v("QLinearConcat", [a(0.25), a(128, UINT8), whole(UINT8, 2, 3), a(0.125), a(128, UINT8), whole(UINT8, 2, 3), a(0.5),
                    a(100, UINT8)], domain=ms, axis=1)

# ---- images with a depth, powers, diagonals, one side of a transform --------------------------------

volume = f(1, 2, 4, 5, 6)
v("Conv", [volume, f(3, 2, 3, 2, 3), f(3)])
v("Conv", [volume, f(4, 1, 3, 3, 3)], group=2, pads=[1, 1, 0, 1, 0, 1], strides=[2, 1, 2])
v("Conv", [volume, f(3, 2, 2, 2, 2)], dilations=[2, 1, 3], kernel_shape=[2, 2, 2])
v("Conv", [volume, f(3, 2, 3, 3, 3)], auto_pad="SAME_UPPER", strides=[2, 2, 2])
v("ConvTranspose", [f(1, 2, 2, 3, 3), f(2, 3, 2, 2, 2), f(3)], strides=[2, 2, 2])
v("ConvTranspose", [f(1, 4, 2, 3, 3), f(4, 2, 3, 3, 2)], strides=[2, 1, 2], pads=[1, 0, 1, 0, 1, 0], group=2,
  output_padding=[1, 0, 1])
for op in ("MaxPool", "AveragePool"):
    v(op, [volume], kernel_shape=[2, 3, 2])
    v(op, [volume], kernel_shape=[3, 3, 3], strides=[2, 2, 2], pads=[1, 1, 0, 0, 1, 1])
    v(op, [f(1, 2, 5, 5, 6)], kernel_shape=[2, 2, 2], strides=[2, 2, 2], ceil_mode=1)
v("AveragePool", [volume], kernel_shape=[3, 3, 3], pads=[1, 1, 1, 1, 1, 1], count_include_pad=1)
v("MaxPool", [volume], kernel_shape=[2, 2, 2], strides=[2, 2, 2], outputs=2, sets=(8, LAST))
v("GlobalAveragePool GlobalMaxPool", [volume])
v("DFT", [f(1, 5, 2)], inverse=1, onesided=1)
v("DFT", [f(2, 4, 4, 2), None, np.array(1, np.int64)], inverse=1, onesided=1, sets=(20, LAST))
v("DFT", [f(1, 4, 2), np.array(7, np.int64)], inverse=1, onesided=1)
v("DFT", [f(1, 6, 2), np.array(6, np.int64)], inverse=1, onesided=1, label="evaluator")
for equation, shape in (("ii->i", (4, 4)), ("ii", (4, 4)), ("bij,ii->bj", (2, 3, 5)), ("ijij->ji", (3, 2, 3, 2)),
                        ("iij->j", (3, 3, 2))):
    v("Einsum", [f(*shape)] + [f(3, 3)] * equation.count(","), equation=equation)
v("LpPool", [f(1, 2, 6, 6)], kernel_shape=[2, 2], p=3)
v("LpPool", [f(1, 2, 6, 6)], kernel_shape=[3, 3], p=4)
v("GlobalLpPool", [f(1, 2, 4, 5)], p=3)
v("CenterCropPad", [f(3, 5), ints(6, 2)])
v("CenterCropPad", [f(2, 4, 5), ints(7, 4)], axes=[2, -2])
