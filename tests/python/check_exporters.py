#!/usr/bin/env python3
"""Compares networks of PyTorch and Keras with what their own library computes. By hand, as an oracle.

check_exporters.py torch|keras [NAME...], with torch and onnxscript, or tensorflow and tf2onnx, and tactus in the
Python environment. The machine has the data type FP32BP16 and lookup tables. A network is right if no output
is off by more than 1 % of its largest value. Exit code 1: one is not right.
"""
import os
import sys
import warnings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import numpy as np  # noqa: E402
import tactus  # noqa: E402

warnings.simplefilter("ignore")
MACHINE = tactus.Configuration(
    "zcu104",
    architecture={
        "array_size": 8, "data_type": "FP32BP16", "local_depth": 65536, "accumulator_depth": 16384,
        "dram0_depth": 1 << 20, "dram1_depth": 1 << 20, "stride0_depth": 8, "stride1_depth": 8,
        "simd_registers_depth": 3, "lookup_tables": {"count": 2, "depth": 4096, "key_binary_point": 8},
    },
    memory_model="fixed",
)  # fmt: skip


def torch_networks():
    import torch
    from torch import nn

    torch.manual_seed(1)

    class Block(nn.Module):
        def __init__(self, forward, **parts):
            super().__init__()
            for name, part in parts.items():
                setattr(self, name, part)
            self.rule = forward

        def forward(self, *inputs):
            return self.rule(self, *inputs)

    def recurrent(kind, **options):
        width = 12 * (2 if options.get("bidirectional") else 1)
        return Block(lambda s, x: s.out(s.cell(x)[0][:, -1]), cell=kind(8, 12, batch_first=True, **options),
                     out=nn.Linear(width, 3)), torch.randn(1, 6, 8)

    def image(*layers, channels=3, size=12):
        return nn.Sequential(*layers), torch.randn(1, channels, size, size)

    functional = nn.functional
    return {
        "cnn": image(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                     nn.Linear(288, 10)),
        "mlp": image(nn.Flatten(), nn.Linear(432, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 5)),
        "lstm": recurrent(nn.LSTM), "lstm_both_ways": recurrent(nn.LSTM, bidirectional=True),
        "lstm_two_layers": recurrent(nn.LSTM, num_layers=2), "gru": recurrent(nn.GRU), "rnn": recurrent(nn.RNN),
        "encoder": (Block(lambda s, i: s.out(s.layer(s.words(i)).mean(1)), words=nn.Embedding(20, 16),
                          layer=nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), out=nn.Linear(16, 4)),
                    torch.randint(0, 20, (1, 7))),
        "decoder": (Block(lambda s, x, m: s.layer(x, m), layer=nn.TransformerDecoderLayer(16, 2, 32, batch_first=True)),
                    (torch.randn(1, 4, 16), torch.randn(1, 6, 16))),
        "attention": (Block(lambda s, x: s.heads(x, x, x)[0], heads=nn.MultiheadAttention(16, 4, batch_first=True)),
                      torch.randn(1, 5, 16)),
        "causal_attention": (Block(lambda s, x: functional.scaled_dot_product_attention(x, x, x, is_causal=True)),
                             torch.randn(1, 2, 6, 8)),
        "two_inputs": (Block(lambda s, a, b: (a * b, torch.softmax(a + b, -1))),
                       (torch.randn(1, 8), torch.randn(1, 8))),
        "unet": (Block(lambda s, x: s.out(torch.cat([functional.interpolate(
            s.up(functional.silu(s.norm(s.down(x)))), size=x.shape[-2:], mode="bilinear"), x], 1)),
            down=nn.Conv2d(1, 8, 3, 2, 1), up=nn.ConvTranspose2d(8, 8, 2, 2), norm=nn.GroupNorm(2, 8),
            out=nn.Conv2d(9, 1, 1)), torch.randn(1, 1, 16, 16)),
        "signal": (nn.Sequential(nn.Conv1d(2, 8, 5, padding=2), nn.ELU(), nn.MaxPool1d(2), nn.AdaptiveAvgPool1d(1),
                                 nn.Flatten(), nn.Linear(8, 3)), torch.randn(1, 2, 20)),
        "mobile": image(nn.Conv2d(3, 8, 3, 2, 1), nn.Hardswish(), nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.ReLU6(),
                        nn.Conv2d(8, 4, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        "squeeze_excite": (Block(lambda s, x: x * torch.sigmoid(s.b(torch.relu(s.a(x.mean((2, 3), keepdim=True))))),
                                 a=nn.Conv2d(8, 4, 1), b=nn.Conv2d(4, 8, 1)), torch.randn(1, 8, 6, 6)),
        "activations": image(nn.PReLU(3), nn.Mish(), nn.Softplus(), nn.CELU(), nn.Tanh(), nn.LeakyReLU()),
        "shuffle": image(nn.Conv2d(3, 8, 3, padding=1), nn.PixelShuffle(2), nn.ChannelShuffle(2)),
        "dilated": image(nn.Conv2d(3, 4, 3, padding=2, dilation=2), nn.ReflectionPad2d(1), nn.AvgPool2d(2)),
        "patches": (Block(lambda s, x: s.out(s.embed(x).flatten(2).transpose(1, 2)), embed=nn.Conv2d(3, 16, 4, 4),
                          out=nn.Linear(16, 8)), torch.randn(1, 3, 16, 16)),
        "einsum": (Block(lambda s, a, b: torch.einsum("bij,bkj->bik", a, b)),
                   (torch.randn(1, 4, 8), torch.randn(1, 5, 8))),
        "rms_norm": (Block(lambda s, x: s.norm(x), norm=nn.RMSNorm(16)), torch.randn(1, 4, 16)),
        "gather": (Block(lambda s, x: x[:, [2, 0, 1]].clamp(-1, 1).cumsum(1)), torch.randn(1, 3, 8)),
        "chunks": (Block(lambda s, x: torch.stack([a * torch.sigmoid(b) for a, b in [x.chunk(2, -1)]]).squeeze(0)),
                   torch.randn(1, 4, 16)),
        "bag": (Block(lambda s, i: s.words(i).max(1).values, words=nn.Embedding(9, 8)), torch.randint(0, 9, (1, 5))),
    }


def of_torch(names):
    import torch

    for name, (module, inputs) in torch_networks().items():
        if names and name not in names:
            continue
        module.eval()
        given = inputs if isinstance(inputs, tuple) else (inputs,)

        def expected():
            with torch.no_grad():
                results = module(*given)
            return [r.numpy() for r in (results if isinstance(results, tuple) else (results,))]

        yield name, module, inputs, [g.numpy() for g in given], expected


def of_keras(names):
    import tensorflow as tf

    layers, random = tf.keras.layers, np.random.default_rng(1)

    def stack(shape, *rest, **options):
        return tf.keras.Sequential([layers.Input(shape, **options), *rest])

    image = layers.Input((12, 12, 4))
    added = layers.Add()([layers.Conv2D(4, 3, padding="same")(image), image])
    tokens = layers.Input((6, 16))
    networks = {
        "cnn": stack((12, 12, 3), layers.Conv2D(8, 3, activation="relu", padding="same"), layers.BatchNormalization(),
                     layers.MaxPool2D(2), layers.Flatten(), layers.Dense(5, activation="softmax")),
        "separable": stack((12, 12, 3), layers.SeparableConv2D(8, 3), layers.ReLU(6), layers.GlobalAveragePooling2D()),
        "residual": tf.keras.Model(image, layers.UpSampling2D(2, interpolation="bilinear")(added)),
        "transposed": stack((6, 6, 4), layers.Conv2DTranspose(3, 3, strides=2, padding="same"), layers.LeakyReLU()),
        "mlp": stack((20,), layers.Dense(16, activation="gelu"), layers.LayerNormalization(),
                     layers.Dense(3, activation="sigmoid")),
        "signal": stack((20, 4), layers.Conv1D(8, 5, activation="elu"), layers.MaxPool1D(2), layers.Flatten()),
        "attention": tf.keras.Model(tokens, layers.MultiHeadAttention(2, 8)(tokens, tokens)),
        "lstm": stack((5, 4), layers.LSTM(6), layers.Dense(2)), "gru": stack((5, 4), layers.GRU(6), layers.Dense(2)),
        "rnn": stack((5, 4), layers.SimpleRNN(6, return_sequences=True)),
        "both_ways": stack((5, 4), layers.Bidirectional(layers.LSTM(6))),
        "embedding": stack((7,), layers.Embedding(9, 4), layers.Flatten(), layers.Dense(3), dtype="int32"),
    }
    for name, model in networks.items():
        if names and name not in names:
            continue
        shapes = [[1 if size is None else size for size in given.shape] for given in model.inputs]
        given = [random.integers(0, 9, s) if name == "embedding" else random.normal(size=s).astype(np.float32)
                 for s in shapes]
        yield name, model, None, given, lambda m=model, x=given: [m(x[0]).numpy()]


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in ("torch", "keras"):
        sys.exit(__doc__)
    right = tried = 0
    for name, network, example, given, expected in (of_torch if sys.argv[1] == "torch" else of_keras)(sys.argv[2:]):
        for optimise in (False, True):
            tried += 1
            try:
                model = tactus.compile(network, MACHINE, example_inputs=example, optimise=optimise)
                inputs = {tensor.name: x for tensor, x in zip(model.inputs, given)}
                run = tactus.run(model, inputs, MACHINE)
                error = max(np.abs(made.reshape(e.shape) - e).max() / max(np.abs(e).max(), 1e-9)
                            for made, e in zip(run.outputs.values(), expected()))
                right += error < 0.01
                verdict = f"{run.cycles:9d} cycles, error {error:.5f}{'' if error < 0.01 else '  WRONG'}"
            except tactus.Error as problem:
                verdict = f"refused: {str(problem).splitlines()[0][:300]}"
            print(f"{name:18}{'optimised' if optimise else 'plain':11}{verdict}", flush=True)
    print(f"{right} of {tried} right")
    sys.exit(right != tried)


main()
