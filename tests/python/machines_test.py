"""Machines: programs, memories, events, accounts, and several of them in one process."""

import gc
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np
import tactus

PROGRAM = """
DataMove DRAM0(0) -> Local(0), 16
LoadWeights Local(0), 9
MatMul Local(4) -> Acc(0), 8
DataMove Acc(0) -> Local(32), 8
DataMove Local(32) -> DRAM0(64), 8
"""


def fixed(board="arty_a7_35", **values):
    return tactus.Configuration(
        board, memory_model="fixed", read_latency=20, write_latency=5, **values
    )


class Programs(unittest.TestCase):
    def test_a_product_is_that_of_numpy(self):
        machine = tactus.Machine(fixed())
        values = np.random.default_rng(2).integers(-64, 64, (16, 8)) / 16
        machine.write("dram0", 0, values)
        np.testing.assert_array_equal(machine.read("dram0", 0, 16), values)
        run = machine.run_program(PROGRAM)
        self.assertEqual(run.instructions, 5)
        np.testing.assert_array_equal(machine.read("local", 0, 16), values)
        # The first vector of weights is the bias; sums of these numbers are exact.
        wanted = values[4:12] @ values[1:9] + values[0]
        np.testing.assert_array_equal(machine.read("dram0", 64, 8), wanted)
        np.testing.assert_array_equal(machine.read("acc", 0, 8), wanted)

    def test_a_limit_and_what_is_waited_for(self):
        machine = tactus.Machine(fixed())
        with self.assertRaisesRegex(tactus.StuckError, "stopped at max_cycles 20"):
            machine.run_program(PROGRAM, max_cycles=20)

    def test_engines_agree(self):
        runs = []
        for engine in ("fast", "step"):
            machine = tactus.Machine(fixed(engine=engine))
            runs.append(machine.run_program(PROGRAM, events=True, accounts=True))
        fast, step = runs
        self.assertEqual(fast.cycles, step.cycles)
        np.testing.assert_array_equal(fast.events, step.events)
        for unit in range(len(fast.units)):
            a, b = (run.accounts[run.accounts["unit"] == unit] for run in runs)
            np.testing.assert_array_equal(a, b)


class Records(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = tactus.compile("cnn", fixed())
        cls.machine = tactus.Machine(fixed())
        cls.run_ = cls.machine.run(
            cls.model, np.ones((1, 16, 16, 3)), events=True, accounts=True
        )

    def count(self, name):
        kinds = [kind.name for kind in self.run_.event_kinds]
        return int(np.count_nonzero(self.run_.events["kind"] == kinds.index(name)))

    def test_reads_that_nothing_has_written(self):
        machine = tactus.Machine(fixed())
        text = "DataMove DRAM0(0) -> Local(0), 4\nDataMove Local(2) -> DRAM0(8), 4\n"
        with self.assertWarnsRegex(
            UserWarning, "the program: instruction 1 reads local 4, which nothing has written"
        ):
            run = machine.run_program(text)
        self.assertEqual(run.statistics["unwritten_reads"]["count"], 2)
        # The machine's memories keep what a run has written.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            machine.run_program("DataMove DRAM0(0) -> Local(4), 2\n")
            machine.run_program(text)

    def test_events_are_the_figures(self):
        figures = self.run_.statistics["accounting"]
        self.assertEqual(self.count("DEC"), self.count("IFIRE"))
        self.assertGreaterEqual(self.count("DEC"), self.run_.instructions)
        self.assertTrue(np.all(np.diff(self.run_.events["cycle"].astype(np.int64)) >= 0))
        compute = figures["units"]["array"]["compute"]
        self.assertEqual(self.count("RUN"), compute)

    def test_accounts_have_no_gaps(self):
        rows = self.run_.accounts
        self.assertEqual(int(rows["end"].max()), self.machine.cycle)
        for number, unit in enumerate(self.run_.units):
            mine = rows[rows["unit"] == number]
            np.testing.assert_array_equal(mine["end"][:-1], mine["begin"][1:], unit.name)
            self.assertEqual(int((mine["end"] - mine["begin"]).sum()), self.machine.cycle)
        with self.assertRaises(ValueError):
            rows["end"][0] = 1  # the arrays of a run cannot be changed

    def test_accounts_are_the_figures(self):
        rows = self.run_.accounts
        for number, unit in enumerate(self.run_.units):
            told = self.run_.statistics["accounting"]["units"].get(unit.name)
            if told is None:
                continue
            for place, state in enumerate(unit.states):
                mine = rows[(rows["unit"] == number) & (rows["state"] == place)]
                counted = int((mine["end"] - mine["begin"]).sum())
                self.assertEqual(counted, told.get(state.name, 0), (unit.name, state.name))

    def test_recording_changes_nothing(self):
        plain = tactus.Machine(fixed()).run(self.model, np.ones((1, 16, 16, 3)))
        self.assertEqual(plain.cycles, self.run_.cycles)
        self.assertEqual(plain.statistics["accounting"], self.run_.statistics["accounting"])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "run.html")
            self.run_.save_report(page)
            with open(page, encoding="utf-8") as file:
                self.assertIn("</html>", file.read())
        self.assertIn(str(self.run_.cycles), self.run_.summary())


class Several(unittest.TestCase):
    """Machines of one process take turns and do not affect each other."""

    def test_turns(self):
        configurations = [fixed(), fixed("zcu104"), tactus.Configuration("zcu104")]
        models = [tactus.compile("cnn", c) for c in configurations]
        images = np.random.default_rng(3).uniform(-1, 1, (4, 16, 16, 3))
        alone = []
        for configuration, model in zip(configurations, models):
            machine = tactus.Machine(configuration)
            alone.append([machine.run(model, images[i : i + 1]) for i in range(4)])
        machines = [tactus.Machine(c) for c in configurations]
        for i in range(4):
            for k, machine in enumerate(machines):
                run = machine.run(models[k], images[i : i + 1])
                self.assertEqual(run.cycles, alone[k][i].cycles)
                for name, values in run.outputs.items():
                    np.testing.assert_array_equal(values, alone[k][i].outputs[name])

    def test_they_end_in_any_order(self):
        model = tactus.compile("mlp", fixed())
        values = np.ones(model.inputs[0].shape)
        wanted = tactus.Machine(fixed()).run(model, values).cycles
        for last in range(3):
            machines = [tactus.Machine(fixed()) for _ in range(3)]
            for machine in machines:
                machine.run(model, values)
            kept = machines[last]
            del machine, machines
            gc.collect()
            self.assertEqual(kept.run(model, values).cycles, wanted)

    def test_a_run_outlives_its_machine(self):
        run = tactus.Machine(fixed()).run_program(PROGRAM, events=True, accounts=True)
        gc.collect()
        self.assertGreater(len(run.events), 0)
        self.assertEqual(run.statistics["cycles"], run.cycles)

    def long_run(self):
        """Returns a model whose run takes seconds, its machine and its inputs."""
        configuration = fixed("zcu104", engine="step")
        model = tactus.compile("resnet20v2", configuration)
        return model, tactus.Machine(configuration), np.zeros((8, 32, 32, 3))

    def test_only_one_runs_at_a_time(self):
        model, machine, values = self.long_run()
        other = tactus.Machine(fixed())
        spare = [tactus.Machine(fixed())]
        ended = []
        thread = threading.Thread(target=lambda: ended.append(machine.run(model, values)))
        thread.start()
        time.sleep(0.5)
        told = "another machine of this process is running"
        for use in (
            lambda: other.run_program(PROGRAM),
            lambda: machine.run(model, values),
            lambda: tactus.Machine(fixed()),
            lambda: other.read("dram0", 0, 1),
        ):
            self.assertTrue(thread.is_alive())
            with self.assertRaisesRegex(tactus.Error, told):
                use()
        spare.clear()  # a machine may be destroyed during a run of another
        gc.collect()
        thread.join()
        self.assertEqual(len(ended), 1)
        self.assertEqual(other.run_program(PROGRAM).instructions, 5)
        alone = tactus.Machine(machine.configuration).run(model, values[:1])
        self.assertEqual(ended[0].cycles, alone.cycles)

    def test_compiling_takes_turns_with_machines(self):
        """The optimising compiler simulates; it waits for machines, and they wait for it."""
        board = tactus.Configuration("ultra96_v2")
        alone = tactus.compile("cnn", board, optimise=True).program
        model, machine, values = self.long_run()
        ended, programs, errors = [], [], []

        def compile_one():
            try:
                programs.append(tactus.compile("cnn", board, optimise=True).program)
            except Exception as error:
                errors.append(error)

        running = threading.Thread(target=lambda: ended.append(machine.run(model, values[:2])))
        running.start()
        time.sleep(0.2)
        self.assertTrue(running.is_alive())
        compilers = [threading.Thread(target=compile_one) for _ in range(3)]
        for thread in compilers:
            thread.start()
        running.join()
        small = tactus.Machine(fixed())  # waits for a simulation of a compiler
        for thread in compilers:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(programs, [alone] * 3)
        self.assertEqual(len(ended), 1)
        self.assertEqual(small.run_program(PROGRAM).instructions, 5)

    def test_an_interrupt_ends_a_run(self):
        model, machine, values = self.long_run()
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            machine.run(model, values)
        with self.assertRaisesRegex(tactus.Error, "was interrupted"):
            machine.run(model, values)
        self.assertEqual(tactus.Machine(fixed()).run_program(PROGRAM).instructions, 5)


class Files(unittest.TestCase):
    """The files that a run writes equal those of the command line."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_waveforms_and_timelines(self):
        machine = tactus.Machine(fixed())
        run = machine.run_program(
            PROGRAM,
            vcd=self.path("w.vcd"),
            gtkw=self.path("w.gtkw"),
            surfer=self.path("w.sucl"),
            timeline=self.path("t.json"),
            trace_scope=["top.tcu.array"],
        )
        with open(self.path("w.vcd"), encoding="ascii") as file:
            text = file.read()
        self.assertIn("$scope module array $end", text)
        self.assertNotIn("$scope module decoder $end", text)
        with open(self.path("t.json"), encoding="utf-8") as file:
            self.assertIn("traceEvents", file.read())
        for name in ("w.gtkw", "w.sucl"):
            self.assertTrue(os.path.getsize(self.path(name)) > 0)
        # After the run the machine runs as if nothing had observed it.
        self.assertEqual(machine.run_program(PROGRAM).cycles, run.cycles)

    def test_files_are_those_of_the_command_line(self):
        model = tactus.compile("mlp", "zcu104")
        saved = model.save(self.path("m"))
        files = {"timeline": "t.json", "vcd": "w.vcd", "gtkw": "w.gtkw", "retire_log": "r.bin"}
        windows = {"timeline_from": 100, "timeline_max_events": 500, "trace_to": 2000}
        image = np.zeros(model.inputs[0].shape)
        np.save(self.path("x.npy"), image.astype(np.float32))
        os.mkdir(self.path("python"))
        os.mkdir(self.path("command"))
        model = tactus.Model(saved)
        written = {key: self.path("python/" + name) for key, name in files.items()}
        with self.assertWarnsRegex(UserWarning, "the timeline ends at cycle"):
            run = tactus.run(model, image, **written, **windows)
        words = [tactus.program(), "run", saved, "--input", self.path("x.npy")]
        for key, name in files.items():
            words += ["--" + key.replace("_", "-"), self.path("command/" + name)]
        for key, value in windows.items():
            words += ["--" + key.replace("_", "-"), str(value)]
        words += ["--stats", self.path("s.json")]
        subprocess.run(words, check=True, capture_output=True)
        for name in files.values():
            with open(self.path("python/" + name), "rb") as file:
                ours = file.read().replace(b"/python/", b"/command/")
            with open(self.path("command/" + name), "rb") as file:
                theirs = file.read()
            if name == "w.vcd":  # its comment names the model by path, and a module of this name
                ours, theirs = (text[text.index(b"$timescale") :] for text in (ours, theirs))
            self.assertTrue(len(ours) > 0 and ours == theirs, name)
        with open(self.path("s.json"), encoding="utf-8") as file:
            told = json.load(file)
        for key, value in run.statistics.items():
            if key not in ("config", "wall_seconds", "cycles_per_second"):
                self.assertEqual(value, told.get(key), key)

    def test_what_cannot_be_is_told(self):
        machine = tactus.Machine(fixed())
        for options, message in (
            ({"gtkw": "a"}, "need vcd or fst"),
            ({"picture": "a"}, "there is no picture; allowed"),
            ({"vcd": 3}, "vcd: int is not allowed"),
            ({"vcd": self.path("no/where.vcd")}, "where.vcd"),
            ({"vcd": self.path("a.vcd"), "trace_scope": "nosuch*"}, "nosuch"),
            ({"vcd": self.path("a.vcd"), "trace_from": 5, "trace_to": 4}, "window is empty"),
            ({"energy": "nobody"}, "nobody"),
            ({"stats": "a"}, r"stats is not for Python: Run.save_statistics\(\) writes it"),
            ({"samples": "a"}, "samples is not for Python"),
            ({"regions": "4"}, "regions does not apply here: Python has the model's layers"),
            ({"timeline_from": 5}, "timeline_from needs timeline"),
            ({"timeline": "a", "timeline_from": 5, "timeline_to": 4}, "is empty"),
            ({"vcd": "a", "trace_pre": 5}, "trace_pre needs trace_pc, trace_tracepoint or"),
            ({"vcd": "a", "trace_pc": "5:4"}, 'trace_pc "5:4" is an empty window'),
        ):
            with self.assertRaisesRegex(tactus.Error, message):
                machine.run_program(PROGRAM, **options)

    def test_energy(self):
        run = tactus.Machine(fixed()).run_program(PROGRAM, energy="relative")
        energy = run.statistics["energy"]
        self.assertEqual(energy["table"], "relative")
        self.assertEqual(energy["by_event"]["mac"]["count"], 8 * 64)
        self.assertIn("table relative", run.summary())


class Batches(unittest.TestCase):
    def test_images_of_a_batch_have_the_latency_of_their_run(self):
        board = tactus.Configuration("zcu104", memory_model="fixed")
        model = tactus.compile("mlp", board, optimise=True, batch=4)
        shape = model.inputs[0].shape
        run = tactus.run(model, np.zeros((3 * shape[0],) + tuple(shape[1:])), board)
        rate = run.statistics["throughput"]
        self.assertEqual((rate["images"], rate["batch"]), (12, 4))
        self.assertEqual(len(run.image_cycles), 3)
        self.assertAlmostEqual(rate["ms_per_image"]["median"], run.milliseconds / 4)


KERNEL = """.version 3.6
.kernel "tile"
.decl PA v_type=G type=uq num_elts=1 align=GRF
.decl PB v_type=G type=uq num_elts=1 align=GRF
.decl PC v_type=G type=uq num_elts=1 align=GRF
.decl A v_type=G type=ud num_elts=64 align=GRF
.decl B v_type=G type=ud num_elts=128 align=GRF
.decl D v_type=G type=d num_elts=128 align=GRF
.input PA offset=64 size=8
.input PB offset=128 size=8
.input PC offset=192 size=8
lsc_load_block2d.ugm (M1_NM, 1) A:d8.32x8nn flat[PA,0x1F,0x7,0x1F,0x0,0x0]
lsc_load_block2d.ugm (M1_NM, 1) B:d8.16x32nt flat[PB,0xF,0x1F,0xF,0x0,0x0]
dpas.s8.s8.8.8 (M1, 16) D.0 %null.0 B.0 A(0,0)
lsc_store_block2d.ugm (M1_NM, 1) flat[PC,0x3F,0x7,0x3F,0x0,0x0] D:d32.16x8nn
ret (M1, 1)
"""


class Units(unittest.TestCase):
    """Several units behind one memory."""

    def setUp(self):
        self.model = tactus.compile("mlp", "zcu104")
        first, *rest = self.model.inputs[0].shape
        self.images = np.random.default_rng(5).uniform(-1, 1, (5 * first, *rest))

    def test_they_compute_the_same(self):
        one = tactus.run(self.model, self.images, "zcu104")
        with tempfile.TemporaryDirectory() as folder:
            timeline = os.path.join(folder, "t.json")
            units = tactus.run(
                self.model, self.images, "zcu104", tcus=3, events=True, timeline=timeline
            )
            with open(timeline, encoding="utf-8") as file:
                text = file.read()
            for unit in ("unit 0", "unit 1", "unit 2"):
                self.assertIn(unit, text)
        for name, values in one.outputs.items():
            np.testing.assert_array_equal(values, units.outputs[name])
        tcus = units.statistics["tcus"]
        self.assertEqual(tcus["count"], 3)
        self.assertEqual(tcus["alone_cycles"], one.cycles)
        self.assertEqual([each["images"] for each in tcus["each"]], [2, 2, 1])
        self.assertEqual(
            [each["cycles"] for each in tcus["each"]],
            [sum(units.image_cycles[unit::3]) for unit in range(3)],
        )
        self.assertGreater(max(units.image_cycles), one.cycles)
        self.assertGreater(len(units.events), 0)
        self.assertNotIn("tcus", one.statistics)

    def test_what_cannot_be_is_told(self):
        for options, message in (
            ({"tcus": 0}, "tcus: 0 is not allowed; allowed 1.."),
            ({"tcus": 65}, "tcus 65 is not allowed; allowed: 1..64"),
            ({"tcus": 6}, "tcus 6: there are 5 runs to deal out"),
            ({"tcus": 2, "configuration": fixed("zcu104")}, "of fixed latency do not slow each other down"),
            ({"tcus": 2, "max_cycles": 9}, "stopped at max_cycles 9"),
            ({"tcus": 2, "mood": 1}, "there is no mood"),
        ):
            with self.assertRaisesRegex(tactus.Error, message):
                tactus.run(self.model, self.images, **options)


class Serving(unittest.TestCase):
    """Several models on the units of one board, and requests that arrive."""

    def setUp(self):
        self.models = {
            "first": tactus.compile("mlp", "zcu104"),
            "second": tactus.compile("cnn", "zcu104"),
        }

    def test_figures_and_requests(self):
        served = tactus.serve(
            self.models,
            tcus=2,
            on={"first": [0], "second": [1]},
            arrivals={"first": "20000/s", "second": "poisson:3000/s:7"},
            duration="1ms",
            queue=3,
            slowdowns=True,
        )
        first, second = served.figures["models"]
        self.assertEqual(first["arrived"], 20)
        self.assertEqual(first["arrived"], first["done"] + first["dropped"] + first["waiting"])
        self.assertEqual(first["done"] + second["done"], len(served.requests))
        self.assertEqual({r["unit"] for r in served.requests if r["model"] == "first"}, {0})
        self.assertGreaterEqual(served.figures["slowdowns"]["first"]["beside"]["second"]["service"], 1)

    def test_an_image_alone_takes_the_cycles_of_a_run(self):
        model = self.models["second"]
        served = tactus.serve({"only": model}, images=2)
        run = tactus.run(model, np.zeros(model.inputs[0].shape), "zcu104")
        self.assertEqual(served.figures["models"][0]["alone_cycles"], run.cycles)
        self.assertEqual(served.requests[0]["end"] - served.requests[0]["begin"], run.cycles)

    def test_units_have_clocks_of_their_own(self):
        model = self.models["second"]
        served = tactus.serve(
            {"slow": model, "quick": model}, tcus=2, images=1, unit_clocks={1: 200.0}
        )
        slow, quick = served.figures["units"]
        self.assertEqual((slow["clock_mhz"], quick["clock_mhz"]), (100, 200))
        self.assertEqual(served.figures["clock_mhz"], 1e6)
        self.assertIn("arrival_ps", served.requests[0])
        run = tactus.run(
            model, np.zeros(model.inputs[0].shape), tactus.Configuration("zcu104", clock_mhz=200)
        )
        self.assertEqual(served.figures["models"][1]["alone_cycles"], run.cycles)

    def test_waits_are_told_by_model(self):
        served = tactus.serve(self.models, tcus=2, duration="1ms")
        for model in served.figures["models"]:
            for other in self.models:
                self.assertGreater(model["waits_for_ns"][other], 0)

    def test_priorities_of_ports(self):
        def latency(arbitration):
            board = tactus.Configuration("zcu104", arbitration=arbitration)
            models = {"first": self.models["second"], "second": self.models["second"]}
            served = tactus.serve(models, board, tcus=2, duration="1ms")
            return [model["service_ms"]["mean"] for model in served.figures["models"]]

        self.assertLess(latency("fixed:unit0")[0], latency("fixed:unit1")[0])

    def test_what_cannot_be_is_told(self):
        for options, message in (
            ({"tcus": 0}, "tactus.serve: tcus: 0 is not allowed"),
            ({"tcus": 65}, "65 is out of range; allowed 1..64"),
            ({"arrivals": {"third": "1/s"}}, 'arrivals "third=1/s": there is no model "third"'),
            ({"arrivals": {"first": "0/s"}, "duration": "1s"}, '"0/s" is no rate'),
            ({"arrivals": {"first": "1/s"}}, "its requests never end"),
            ({"on": {"first": [1]}, "images": 1}, "allowed: numbers 0..0"),
            ({"duration": "soon"}, '"soon" is no time'),
            ({"duration": 3}, "duration"),
            ({"order": "best"}, 'order "best" is not allowed'),
            ({"queue": -1}, "queue"),
            ({"unit_clocks": {1: 100}}, "with a unit of 0..0"),
            ({"images": 0}, "0 is out of range"),
            (
                {"configuration": tactus.Configuration("zcu104", arbitration="fixed:unit2"), "tcus": 2},
                "names unit2, which this run does not have",
            ),
        ):
            with self.assertRaisesRegex(tactus.Error, message):
                tactus.serve(self.models, **options)
        with self.assertRaisesRegex(tactus.Error, "models: there are none"):
            tactus.serve({})


class Kernels(unittest.TestCase):
    """Machines with a DPAS array."""

    def run_tile(self, **options):
        random = np.random.default_rng(3)
        self.a = random.integers(-128, 128, (8, 32), dtype=np.int8)
        self.b = random.integers(-128, 128, (32, 16), dtype=np.int8)
        bind = {"PA": self.a, "PB": self.b, "PC": 512}
        return tactus.run_kernel(KERNEL, "pvc", bind=bind, **options)

    def test_a_product_is_that_of_numpy(self):
        run = self.run_tile(memory_port="ideal", events=True, accounts=True, energy="relative")
        wanted = self.a.astype(np.int32) @ self.b.astype(np.int32)
        got = run.outputs["PC"].view(np.int32).reshape(8, 16)
        np.testing.assert_array_equal(got, wanted)
        # tests/cli/dpas_run_test.cpp explains this sum.
        self.assertEqual(run.cycles, 56 + 28 + 16 + 7 + 37)
        self.assertEqual(run.statistics["macs"], 8 * 16 * 32)
        self.assertEqual(run.statistics["energy"]["by_event"]["mac"]["count"], 8 * 16 * 32)
        self.assertGreater(len(run.events), 5)
        array = [unit.name for unit in run.units].index("array")
        mine = run.accounts[run.accounts["unit"] == array]
        rows = [state.name for state in run.units[array].states].index("rows")
        busy = mine[mine["state"] == rows]
        self.assertEqual((busy["end"] - busy["begin"]).sum(), 8)
        self.assertIn("DPAS", run.summary())

    def test_engines_boards_and_values(self):
        for options in ({}, {"board": "zcu104"}, {"read_latency": 30}):
            runs = [self.run_tile(engine=engine, **options) for engine in ("fast", "step")]
            self.assertEqual(runs[0].cycles, runs[1].cycles)
            self.assertEqual(
                runs[0].statistics["accounting"], runs[1].statistics["accounting"], options
            )

    def test_what_cannot_be_is_told(self):
        for options, message in (
            ({"thread": 4}, "thread: unknown key.*threads"),
            ({"threads": 99}, "threads"),
            ({"memory_port": "ideal", "read_latency": 3}, "read_latency is for the AXI port"),
            ({"set": {"X": 3}}, 'kernel "tile" has no input "X"'),
            ({"kernel": "other"}, 'kernel "other" is not allowed; allowed "tile"'),
            ({"max_cycles": 9}, "stopped at max_cycles 9"),
        ):
            with self.assertRaisesRegex(tactus.Error, message):
                self.run_tile(**options)
        with self.assertRaisesRegex(tactus.Error, "nosuch"):
            tactus.run_kernel(KERNEL, "nosuch")
        with self.assertRaisesRegex(tactus.Error, "PA"):
            tactus.run_kernel(KERNEL, "pvc", bind={"PB": 512, "PC": 512})
        with self.assertRaisesRegex(tactus.Error, "bind PA: it is empty"):
            tactus.run_kernel(KERNEL, "pvc", bind={"PA": b""})


if __name__ == "__main__":
    unittest.main()
