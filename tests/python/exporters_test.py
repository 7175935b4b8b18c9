"""Networks of PyTorch, Keras and onnx are exported by their own library.

A stand-in takes the place of torch and Keras, so that what is asked of them can be seen; where torch is
installed, a module is compiled and compared with what torch computes.
"""

import os
import sys
import tempfile
import types
import unittest
from unittest import mock

import numpy as np
import tactus

try:
    import onnxscript  # noqa: F401
    import torch
except ImportError:
    torch = None


def stand_in(kind, module, bases=(), /, **members):
    """A class that says that it is of another library."""
    return type(kind, bases or (object,), {"__module__": module, **members})


class Exporters(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self._folder.name, "mlp.onnx")
        tactus.Network("mlp").save(self.path)
        with open(self.path, "rb") as file:
            self.onnx = file.read()

    def tearDown(self):
        self._folder.cleanup()

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.onnx)

    def torch_like(self, export):
        base = stand_in("Module", "torch.nn.modules.module")
        fake = types.ModuleType("torch")
        fake.nn = types.SimpleNamespace(Module=base)
        fake.onnx = types.SimpleNamespace(export=export)
        fake.from_numpy = lambda array: ("tensor", array.shape)
        return base, mock.patch.dict(sys.modules, {"torch": fake})

    def test_a_module_is_exported_in_evaluation_mode(self):
        asked = {}

        def export(module, args, path, **options):
            asked.update(options, args=args, training=module.training)
            self.write(path)

        base, patch = self.torch_like(export)
        mode = {
            "eval": lambda self: setattr(self, "training", False),
            "train": lambda self: setattr(self, "training", True),
        }
        module = stand_in("Classifier", "user", (base,), **mode)()
        module.training = True
        with patch:
            network = tactus.Network(module, example_inputs=np.zeros((1, 3)))
            self.assertEqual(network.name, "Classifier")
            self.assertEqual(asked["args"], (("tensor", (1, 3)),))
            self.assertFalse(asked["training"])
            self.assertTrue(asked["dynamo"])
            self.assertTrue(module.training)
            model = tactus.compile(module, "zcu104", example_inputs={"x": np.zeros((1, 3))})
            self.assertEqual(asked["kwargs"], {"x": ("tensor", (1, 3))})
            self.assertEqual(model.program, tactus.compile(self.path, "zcu104").program)
            with self.assertRaisesRegex(tactus.Error, "needs example_inputs"):
                tactus.Network(module)

    def test_errors_of_the_exporter_are_told(self):
        def export(module, args, path, **options):
            raise RuntimeError("no rule for aten::foo\nand much more")

        base, patch = self.torch_like(export)
        module = stand_in("Odd", "user", (base,), training=False)()
        with patch, self.assertRaisesRegex(tactus.Error, "Odd cannot be exported: no rule for aten::foo$"):
            tactus.Network(module, example_inputs=np.zeros(1))

    def test_keras_and_onnx(self):
        test = self

        def export(self, path, format, verbose):
            test.assertEqual((format, verbose), ("onnx", False))
            test.write(path)

        keras = stand_in("Model", "keras.src.models.model", export=export, name="net")()
        self.assertEqual(tactus.Network(keras).name, "net")
        with self.assertRaisesRegex(tactus.Error, "example_inputs are for a torch.nn.Module only"):
            tactus.Network(keras, example_inputs=np.zeros(1))
        proto = stand_in("ModelProto", "onnx.onnx_ml_pb2", SerializeToString=lambda _: self.onnx)()
        program = tactus.compile(proto, "zcu104").program
        self.assertEqual(program, tactus.compile(self.path, "zcu104").program)

    def test_example_inputs_belong_to_modules(self):
        with self.assertRaisesRegex(tactus.Error, "for a torch.nn.Module only"):
            tactus.Network("mlp", example_inputs=np.zeros(1))
        with self.assertRaisesRegex(tactus.Error, "made already"):
            tactus.compile(tactus.Network("mlp"), "zcu104", example_inputs=np.zeros(1))

    @unittest.skipIf(torch is None, "torch and onnxscript are not installed")
    def test_a_torch_module_gives_its_own_results(self):
        torch.manual_seed(1)
        module = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(),
            torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 5),
        ).eval()  # fmt: skip
        x = torch.randn(1, 3, 12, 12)
        board = tactus.Configuration("zcu104", data_type="FP32BP16", memory_model="fixed")
        run = tactus.run(tactus.compile(module, board, example_inputs=x), x.numpy(), board)
        with torch.no_grad():
            expected = module(x).numpy()
        (output,) = run.outputs.values()
        np.testing.assert_allclose(output, expected, atol=0.01 * np.abs(expected).max())


class IntegerInputs(unittest.TestCase):
    @unittest.skipIf(torch is None, "torch and onnxscript are not installed")
    def test_an_embedding_takes_whole_numbers(self):
        torch.manual_seed(1)
        module = torch.nn.Sequential(torch.nn.Embedding(9, 4), torch.nn.Flatten(), torch.nn.Linear(12, 2)).eval()
        tokens = np.array([[1, 8, 3]])
        model = tactus.compile(module, "zcu104", example_inputs=tokens)
        (given,) = model.inputs
        self.assertEqual((given.shape, given.vectors, given.order), ((1, 3), 0, None))
        run = tactus.run(model, tokens)
        with torch.no_grad():
            expected = module(torch.from_numpy(tokens)).numpy()
        (output,) = run.outputs.values()
        np.testing.assert_allclose(output, expected, atol=0.05)


if __name__ == "__main__":
    unittest.main()
