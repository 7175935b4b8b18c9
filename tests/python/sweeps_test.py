"""Sweeps with a callback, which use the same folders as the command line."""

import json
import os
import subprocess
import tempfile
import unittest

import tactus

DEFINITION = {
    "name": "small",
    "base": {
        "workload": {"network": "mlp"},
        "board": {"name": "zcu104", "memory_model": "fixed"},
    },
    "axes": [{"key": "board.read_latency", "values": [1, 20, 40]}],
}


class Sweeps(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self._folder.name, "results")

    def tearDown(self):
        self._folder.cleanup()

    def test_points_are_told_and_kept(self):
        told = []
        lines = tactus.sweep(DEFINITION, self.folder, told.append, jobs=1)
        self.assertEqual([line["point"] for line in lines], [0, 1, 2])
        self.assertEqual(sorted(line["point"] for line in told), [0, 1, 2])
        self.assertTrue(all(line["status"] == "ok" for line in lines))
        for line, latency in zip(lines, (1, 20, 40)):
            configuration = tactus.Configuration(
                "zcu104", memory_model="fixed", read_latency=latency, write_latency=5
            )
            self.assertEqual(line["configuration"]["board"]["read_latency"], latency)
            model = tactus.compile("mlp", configuration)
            run = tactus.run(model, [[0] * 16], configuration)
            self.assertEqual(line["figures"]["cycles"], run.cycles)
        # No point is left to run.
        told.clear()
        self.assertEqual(tactus.sweep(DEFINITION, self.folder, told.append), lines)
        self.assertEqual(told, [])

    def test_the_command_line_goes_on_with_the_folder(self):
        path = os.path.join(self._folder.name, "small.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(DEFINITION, file)
        lines = tactus.sweep(path, self.folder, jobs=1)
        done = subprocess.run(
            [tactus.program(), "sweep", path, "-o", self.folder], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 points, 0 of them to run", done.stdout)
        self.assertEqual(tactus.sweep(path, self.folder), lines)

    def test_what_the_callback_raises_ends_the_sweep(self):
        def stop(line):
            raise RuntimeError(f"point {line['point']}")

        with self.assertRaisesRegex(RuntimeError, "point 0"):
            tactus.sweep(DEFINITION, self.folder, stop, jobs=1)
        told = []
        tactus.sweep(DEFINITION, self.folder, told.append, jobs=1)
        self.assertEqual([line["point"] for line in told], [1, 2])

    def test_points_without_instructions(self):
        # A Transpose of the input only changes the order of the same vectors.
        model = tactus.compile("cnn", "zcu104", outputs=["x_nchw:0"])
        definition = dict(DEFINITION)
        definition["base"] = {
            "workload": {"network": model.save(self._folder.name, "empty")},
            "board": {"name": "zcu104", "memory_model": "fixed"},
        }
        for line in tactus.sweep(definition, self.folder, jobs=1):
            self.assertEqual(line["figures"]["cycles"], 0)
            self.assertIsNone(line["figures"]["frames_per_second"])

    def test_points_that_fail(self):
        definition = dict(DEFINITION)
        lines = tactus.sweep(definition, self.folder, max_cycles=10, jobs=1)
        self.assertEqual({line["status"] for line in lines}, {"failed"})
        self.assertTrue(all("cycle limit" in line["error"] for line in lines))


if __name__ == "__main__":
    unittest.main()
