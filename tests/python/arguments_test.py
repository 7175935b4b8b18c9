"""Every wrong argument raises tactus.Error with one clear message. If the command line can have the
same error, the message is the command line's."""

import os
import subprocess
import tempfile
import unittest

import numpy as np
import tactus


def command(*words):
    """Returns the exit code of the program and its error, without the prefix."""
    done = subprocess.run([tactus.program(), *words], capture_output=True, text=True)
    return done.returncode, done.stderr.removeprefix("tactus: error: ").rstrip("\n")


class Arguments(unittest.TestCase):
    def refused(self, call, *parts):
        with self.assertRaises(tactus.Error) as caught:
            call()
        for part in parts:
            self.assertIn(part, str(caught.exception))
        return str(caught.exception)

    def test_error_is_a_value_error(self):
        self.assertTrue(issubclass(tactus.Error, ValueError))
        self.assertTrue(issubclass(tactus.StuckError, tactus.Error))

    def test_unknown_board_is_told_as_on_the_command_line(self):
        text = self.refused(lambda: tactus.Configuration("zcu105"), 'did you mean "zcu104"')
        self.assertEqual(command("selftest", "--board", "zcu105"), (2, text))

    def test_missing_files_are_told_as_on_the_command_line(self):
        text = self.refused(lambda: tactus.compile("none.onnx", "zcu104"), "none.onnx")
        # The command line names the command before the file.
        told = command("compile", "none.onnx", "--board", "zcu104", "--summary")
        self.assertEqual(told, (2, "compile: " + text))
        text = self.refused(lambda: tactus.Model("none.tmodel"), "none.tmodel")
        self.assertEqual(command("run", "--model", "none.tmodel"), (2, text))

    def test_values_of_a_configuration(self):
        make = tactus.Configuration
        self.refused(lambda: make("zcu104", clock_mhz=-1), "clock_mhz", "allowed")
        self.refused(lambda: make("zcu104", clock_mhz="fast"), "clock_mhz", "number")
        self.refused(lambda: make("zcu104", clok_mhz=1), "clok_mhz", 'did you mean "clock_mhz"')
        self.refused(lambda: make("zcu104", arra_size=8), 'did you mean "array_size"')
        self.refused(lambda: make("zcu104", array_size=1), "array_size", "allowed 2..256")
        self.refused(lambda: make("zcu104", engine="quick"), "engine", "fast")
        self.refused(lambda: make("zcu104", clock_mhz=float("nan")), "tactus.Configuration")
        self.refused(lambda: make("zcu104", clock_mhz=object()), "object is not allowed")
        self.refused(lambda: make("zcu104", axi_data_bits=100), "axi_data_bits")
        self.refused(lambda: make(), "board=NAME")
        self.refused(lambda: make(7), "int is not allowed")
        self.refused(lambda: make(architecture=7), "int is not allowed")
        self.refused(lambda: make(architecture="none.tarch"), "none.tarch")
        self.refused(lambda: make(architecture={"array_siz": 8}), "unknown key")
        # As on the command line, read_latency selects the memory of fixed latency.
        self.refused(
            lambda: make("zcu104", read_latency=3, memory_model="board"), "memory_model fixed"
        )
        self.assertEqual(make("zcu104", read_latency=3).values["memory_model"], "fixed")
        self.assertEqual(make("zcu104").values["memory_model"], "board")

    def test_all_problems_at_once(self):
        text = self.refused(lambda: tactus.Configuration("zcu104", read_latency=0, clok=1))
        self.assertEqual(len(text.splitlines()), 2)

    def test_compile(self):
        make = tactus.compile
        self.refused(lambda: make("resnet20v3", "zcu104"), "resnet20v3", "allowed")
        self.refused(lambda: make(7, "zcu104"), "int is not allowed")
        self.refused(lambda: make("mlp", 7), "int is not allowed")
        self.refused(lambda: make("mlp", "zcu104", strategi="x"), 'did you mean "strategy"')
        self.refused(lambda: make("mlp", "zcu104", strategy="best"), "strategy", "local-vars")
        self.refused(lambda: make("mlp", "zcu104", optimise=1), "optimise", "true or false")
        self.refused(lambda: make("mlp", "zcu104", optimise=True, compat=True), "optimise goes")
        self.refused(lambda: make("mlp", "zcu104", outputs="x"), "list of names")
        self.refused(lambda: make("mlp", "zcu104", outputs=["nothing"]), "nothing")
        self.refused(lambda: make("mlp", "zcu104", input_shapes=[1]), "dict of names")
        self.refused(lambda: make("mlp", "zcu104", input_shapes={"": [0]}), "input_shapes")
        self.refused(lambda: tactus.Network("mlp", seed=-1), "seed: -1 is not allowed")

    def test_inputs(self):
        model = tactus.compile("mlp", "zcu104")
        machine = tactus.Machine("zcu104")
        (tensor,) = model.inputs
        good = np.zeros(tensor.shape)
        self.refused(lambda: machine.run(model), "is missing")
        self.refused(lambda: machine.run(model, {"y": good}), "no input", tensor.name)
        self.refused(lambda: machine.run(model, good[..., :-1]), "has shape", "allowed for input")
        self.refused(
            lambda: machine.run(model, good.reshape(tensor.shape + (1,))),
            "has shape",
            "allowed for input",
        )
        self.refused(lambda: machine.run(model, "text"), "no array of numbers")
        self.refused(lambda: machine.run(model, [[1, 2], [3]]), "no array of numbers")
        self.refused(lambda: machine.run(model, good.astype(complex)), "no array of numbers")
        self.refused(lambda: machine.run("model", good), "a tactus.Model")
        self.refused(lambda: machine.run(model, good, max_cycles=-1), "max_cycles")
        self.refused(lambda: machine.run(model, good, mode="other"), "plain, driver")
        self.refused(lambda: tactus.Machine("pynq_z1").run(model, good), "array_size (32, 12)")
        run = machine.run(model, good)
        self.refused(lambda: run.events, "events=True")
        self.refused(lambda: run.accounts, "accounts=True")
        self.refused(lambda: run.save_statistics("/nowhere/stats.json"), "cannot be written")

    def test_programs_and_memories(self):
        machine = tactus.Machine("zcu104")
        self.refused(lambda: machine.run_program("Nop"), "the program:1:1")
        self.refused(lambda: machine.run_program(b"\0"), "the program")
        self.refused(lambda: machine.run_program(7), "bytes or a text")
        self.refused(lambda: machine.read("dram2", 0, 1), 'no memory "dram2"')
        self.refused(lambda: machine.read("local", -1, 1), "first: -1")
        depth = machine.configuration.architecture["local_depth"]
        self.refused(lambda: machine.read("local", depth, 1), f"allowed 0..{depth - 1}")
        self.refused(lambda: machine.write("local", 0, np.zeros((1, 32))), "cannot be written")
        self.refused(lambda: machine.write("dram0", 0, np.zeros((1, 31))), "has shape [1,31]")

    def test_sweeps(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            self.refused(lambda: tactus.sweep("none.json", out), "none.json")
            self.refused(lambda: tactus.sweep({"nam": "x"}, out), "base: missing key")
            self.refused(lambda: tactus.sweep({}, out, callback=3), "cannot be called")
            self.refused(lambda: tactus.sweep({}, out, jobs=2000), "jobs: 2000")
            self.refused(lambda: tactus.sweep({}, out, point_timeout=-1), "point_timeout")
            self.assertEqual(os.listdir(folder), [])

    def test_compare(self):
        self.refused(lambda: tactus.compare(), "two runs or more")
        self.refused(lambda: tactus.compare(a=1, b=2), "a tactus.Run")


if __name__ == "__main__":
    unittest.main()
