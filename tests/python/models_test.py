"""Compiling and running gives the results of the command line."""

import json
import os
import pickle
import subprocess
import tempfile
import unittest
import warnings

import numpy as np
import tactus


def command(*words):
    subprocess.run([tactus.program(), *words], check=True, stdout=subprocess.DEVNULL)


class Models(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = self._folder.name
        self.random = np.random.default_rng(1)

    def tearDown(self):
        self._folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_a_run_is_that_of_the_command_line(self):
        network = tactus.Network("cnn")
        network.save(self.path("cnn.onnx"))
        values = self.random.uniform(-1, 1, (1, 16, 16, 3)).astype(np.float32)
        np.save(self.path("x.npy"), values)
        command("compile", self.path("cnn.onnx"), "--board", "ultra96_v2", "-o", self.path("a"))
        (name,) = [n for n in os.listdir(self.path("a")) if n.endswith(".tmodel")]
        command(
            "run", "--model", self.path(f"a/{name}"), "--input", self.path("x.npy"),
            "--stats", self.path("stats.json"), "--output", self.path("out"),
        )  # fmt: skip
        with open(self.path("stats.json"), encoding="utf-8") as file:
            told = json.load(file)

        model = tactus.compile(self.path("cnn.onnx"), "ultra96_v2")
        self.assertEqual(model.board, "ultra96_v2")
        run = tactus.run(model, values)
        self.assertEqual(run.cycles, told["cycles"])
        self.assertEqual(run.statistics["accounting"], told["accounting"])
        self.assertEqual(run.statistics["figures"], told["figures"])
        self.assertAlmostEqual(run.milliseconds, told["latency_ms"])
        (output,) = run.outputs
        stored = output.replace(":", "_").replace("/", "_")
        np.testing.assert_array_equal(run.outputs[output], np.load(self.path(f"out/{stored}.npy")))

        # The files are the same, byte for byte, and can be run again.
        written = model.save(self.path("b"))
        self.assertEqual(os.path.basename(written), name)
        self.assertEqual(sorted(os.listdir(self.path("a"))), sorted(os.listdir(self.path("b"))))
        for file in os.listdir(self.path("a")):
            with open(self.path(f"a/{file}"), "rb") as a, open(self.path(f"b/{file}"), "rb") as b:
                self.assertEqual(a.read(), b.read(), file)
        with open(written.replace(".tmodel", ".tensors.json"), encoding="utf-8") as file:
            losses = json.load(file)["constant_losses"]
        self.assertTrue(losses)
        self.assertEqual(model.constant_losses, losses)
        again = tactus.Model(written)
        self.assertEqual(again.inputs, model.inputs)
        self.assertEqual(tactus.run(again, values).cycles, run.cycles)

    def test_what_a_model_says(self):
        model = tactus.compile("cnn", "zcu104")
        (given,) = model.inputs
        self.assertEqual(given.shape, (1, 16, 16, 3))
        self.assertEqual(sorted(given.order), [0, 1, 2, 3])
        self.assertEqual(given.vectors, 256)  # 3 channels in a vector of 32 lanes
        self.assertEqual(model.architecture["array_size"], 32)
        self.assertGreater(model.macs, 0)
        self.assertEqual(len(model.disassemble().strip().splitlines()) >= model.instructions, True)
        bits = 9 * 8  # bits of an instruction of this architecture
        self.assertEqual(len(model.program), model.instructions * bits // 8)

    def test_programs_without_instructions(self):
        # A Transpose of the input only changes the order of the same vectors.
        model = tactus.compile("cnn", "zcu104", outputs=["x_nchw:0"])
        self.assertEqual(model.instructions, 0)
        self.assertEqual(model.program, b"")
        image = self.random.integers(-8, 8, (1, 16, 16, 3)) / 8
        written = model.save(self.folder, "empty")
        for one in (model, tactus.Model(written)):
            run = tactus.run(one, image, accounts=True)
            self.assertEqual(run.cycles, 0)
            self.assertEqual(run.milliseconds, 0)
            (output,) = run.outputs.values()
            np.testing.assert_array_equal(output, np.transpose(image, (0, 3, 1, 2)))
            self.assertIsNone(run.statistics["array_busy"])
            # Only the board's host takes time.
            rate = run.statistics["throughput"]
            self.assertEqual(rate["frames_per_second"], 1 / rate["seconds"])
            self.assertEqual(run.lost_cycles, {})
            run.save_report(self.path("r.html"))
        compared = tactus.compare(one=run, other=run)
        self.assertEqual([one["cycles"] for one in compared["runs"]], [0, 0])

    def test_optimised_programs_are_predicted(self):
        model = tactus.compile(
            "cnn", tactus.Configuration("zcu104", memory_model="fixed"), optimise=True
        )
        run = tactus.run(model, np.zeros((1, 16, 16, 3)))
        self.assertLess(abs(model.predicted_cycles - run.cycles), 0.05 * run.cycles)
        plain = tactus.compile("cnn", "zcu104")
        self.assertIsNone(plain.predicted_cycles)

    def test_images_one_after_the_other(self):
        model = tactus.compile("mlp", "arty_a7_35")
        values = self.random.uniform(-1, 1, (3, 16))
        machine = tactus.Machine("arty_a7_35")
        run = machine.run(model, values)
        self.assertEqual(len(run.image_cycles), 3)
        (output,) = run.outputs.values()
        self.assertEqual(output.shape[0], 3)
        for i in range(3):
            alone = tactus.Machine("arty_a7_35").run(model, values[i : i + 1])
            np.testing.assert_array_equal(next(iter(alone.outputs.values()))[0], output[i])

    def test_arrays_of_any_kind(self):
        model = tactus.compile("mlp", "arty_a7_35")
        (tensor,) = model.inputs
        machine = tactus.Machine("arty_a7_35")
        values = np.arange(16).reshape(tensor.shape) % 3
        wanted = machine.run(model, values).outputs
        for same in (
            values.astype(np.float64),
            values.astype(np.int8),
            values.astype(np.float32).T.copy().T,
            np.repeat(values, 2, axis=1)[:, ::2],
            values.tolist(),
            {tensor.name: values},
        ):
            for name, array in machine.run(model, same).outputs.items():
                np.testing.assert_array_equal(array, wanted[name])

    def test_values_beyond_the_range_are_told(self):
        model = tactus.compile("mlp", "arty_a7_35")
        machine = tactus.Machine("arty_a7_35")
        values = np.zeros(model.inputs[0].shape)
        values.flat[3] = 1000
        with self.assertWarnsRegex(UserWarning, "1 of 16 values are beyond"):
            machine.run(model, values)
        values.flat[3] = np.nan
        with self.assertWarnsRegex(UserWarning, "1 of 16 values are NaN and become 0"):
            machine.run(model, values)
        values.flat[3] = 0
        with self.assertWarnsRegex(UserWarning, r"has shape \[16\], taken as"):
            machine.run(model, values.flatten())
        values.flat[3] = 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            machine.run(model, values)

    def test_models_without_layouts_take_vectors(self):
        # A model in the reference compiler's form (compat) does not describe the order of tensors.
        model = tactus.Model(tactus.compile("mlp", "arty_a7_35", compat=True).save(self.folder))
        (tensor,) = model.inputs
        self.assertIsNone(tensor.order)
        self.assertEqual(tensor.shape, (tensor.vectors, 8))
        values = self.random.integers(-512, 512, tensor.shape) / 256
        run = tactus.Machine("arty_a7_35").run(model, values)
        (output,) = run.outputs.values()
        self.assertEqual(output.shape[1], 8)
        known = tactus.compile("mlp", "arty_a7_35")
        laid_out = values.reshape(1, -1)[:, :16]
        (wanted,) = tactus.Machine("arty_a7_35").run(known, laid_out).outputs.values()
        np.testing.assert_array_equal(output.ravel()[: wanted.size], wanted.ravel())

    def test_what_is_pickled_is_the_same(self):
        board = tactus.Configuration("zcu104", memory_model="fixed", read_latency=7)
        model = tactus.compile("cnn", board, strategy="local-vars-and-consts")
        values = self.random.uniform(-1, 1, (1, 16, 16, 3))
        run = tactus.run(model, values, board, events=True, accounts=True)
        copies = [pickle.loads(pickle.dumps(one)) for one in (board, model, run)]
        copies = [pickle.loads(pickle.dumps(one)) for one in copies]  # copies can be pickled as well
        configuration, compiled, kept = copies
        self.assertEqual(configuration.values, board.values)
        self.assertEqual(configuration.replace(read_latency=8).values["read_latency"], 8)
        self.assertEqual(compiled.program, model.program)
        self.assertEqual(compiled.macs, model.macs)
        self.assertEqual(compiled.inputs, model.inputs)
        again = tactus.run(compiled, values, configuration)
        self.assertEqual(again.cycles, run.cycles)
        saved = tactus.Model(compiled.save(self.path("again")))
        self.assertEqual(pickle.loads(pickle.dumps(saved)).program, model.program)
        for name, wanted in run.outputs.items():
            np.testing.assert_array_equal(kept.outputs[name], wanted)
            np.testing.assert_array_equal(again.outputs[name], wanted)
        self.assertEqual(kept.statistics, run.statistics)
        self.assertEqual(kept.image_cycles, run.image_cycles)
        self.assertEqual(kept.summary(), run.summary())
        np.testing.assert_array_equal(kept.events, run.events)
        np.testing.assert_array_equal(kept.accounts, run.accounts)
        self.assertEqual(kept.units, run.units)
        kept.save_report(self.path("r.html"))


if __name__ == "__main__":
    unittest.main()
