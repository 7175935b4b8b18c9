"""Machines and their runs."""

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _native
from ._arguments import instance, json_text, path_text, whole
from ._model import Configuration, ConfigurationLike, Model, PathLike, configuration_of
from ._native import Error


class State(NamedTuple):
    """A state of a unit."""

    name: str
    kind: str
    """busy, stall or idle"""
    meaning: str


class Unit(NamedTuple):
    """A unit of a machine and the states that it can be in."""

    name: str
    states: Tuple[State, ...]


class EventKind(NamedTuple):
    """A kind of event, as `tactus run --events` writes it; * stands for the port."""

    name: str
    meaning: str


class _KeptRun:
    """What a run gives, without the machine's objects: the inside of a run that was pickled."""

    NAMES = (
        "cycles",
        "instructions",
        "clock_mhz",
        "outputs",
        "statistics",
        "statistics_text",
        "summary",
        "events",
        "event_kinds",
        "accounts",
        "units",
    )

    def __init__(self, values: Dict[str, Any]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values:
            raise AttributeError(name)
        return lambda: self._values[name]


class Run:
    """The results of a run: of one image, of several images, of a program, or of a kernel."""

    def __init__(self, native: "Union[_native.ModelRun, _native.KernelRun]") -> None:
        self._native = native
        self._statistics: Optional[Dict[str, Any]] = None
        self._outputs: Optional[Dict[str, np.ndarray]] = None

    def __getstate__(self) -> Dict[str, Any]:
        values = {name: getattr(self._native, name)() for name in _KeptRun.NAMES}
        if values["accounts"] is not None:  # the page needs them
            values["page"] = self._native.page()
        return values

    def __setstate__(self, values: Dict[str, Any]) -> None:
        self._native = _KeptRun(values)  # type: ignore[assignment]
        self._statistics = None
        self._outputs = None

    @property
    def cycles(self) -> int:
        """Cycles of the first image, from the cycle in which the program's first word is offered to
        the last retirement or write response."""
        return self._native.cycles()[0]

    @property
    def image_cycles(self) -> List[int]:
        """Cycles of each image. If the model was compiled for a batch, cycles of each batch."""
        return self._native.cycles()

    @property
    def instructions(self) -> int:
        """Number of the program's instructions."""
        return self._native.instructions()

    @property
    def clock_mhz(self) -> float:
        """Clock frequency of the machine in MHz."""
        return self._native.clock_mhz()

    @property
    def milliseconds(self) -> float:
        """Time of `cycles` at clock_mhz, in ms."""
        return self.cycles / self.clock_mhz / 1e3

    @property
    def outputs(self) -> Dict[str, np.ndarray]:
        """The model's outputs by name, as arrays of float32 or int64 in the model's own layout.
        Outputs of several images are joined along the first dimension. If the model's file does not
        say how tensors lie in memory, outputs are vectors, as rows of float64. A kernel's outputs
        are its buffers, as arrays of bytes. A program has none: see Machine.read()."""
        if self._outputs is None:
            self._outputs = self._native.outputs()
        return self._outputs

    @property
    def statistics(self) -> Dict[str, Any]:
        """All figures, as `tactus run --stats` writes them. "figures" has a sentence for each."""
        if self._statistics is None:
            self._statistics = self._native.statistics()
        return self._statistics

    @property
    def lost_cycles(self) -> Dict[str, int]:
        """Cycles in which the array multiplies nothing, by reason. Reasons without cycles are left
        out."""
        reasons = self.statistics["accounting"]["lost_cycles"]["reasons"]
        return {name: cycles for name, cycles in reasons.items() if cycles}

    @property
    def events(self) -> np.ndarray:
        """All events, in the order of their cycles. Fields: cycle (counted from the machine's
        first), kind (index in event_kinds), port, operands a, b, c. Needs events=True."""
        rows = self._native.events()
        if rows is None:
            raise Error("the run recorded no events; give events=True")
        return rows

    @property
    def event_kinds(self) -> List[EventKind]:
        """Kinds of events, to which the numbers in events["kind"] refer."""
        return [EventKind(*kind) for kind in self._native.event_kinds()]

    @property
    def accounts(self) -> np.ndarray:
        """The states of every unit over time. Fields: begin and end (cycles [begin, end) of the
        machine), unit (index in units), state (index in the unit's states), kind (of the
        instruction at the unit's head; 0: none). The intervals of a unit follow each other without
        gaps. Needs accounts=True."""
        rows = self._native.accounts()
        if rows is None:
            raise Error("the run recorded no accounts; give accounts=True")
        return rows

    @property
    def units(self) -> List[Unit]:
        """Units and their states, to which the numbers in accounts refer."""
        units = self._native.units()
        return [Unit(name, tuple(State(*state) for state in states)) for name, states in units]

    def summary(self) -> str:
        """The text that `tactus run` prints."""
        return self._native.summary()

    def save_statistics(self, path: PathLike) -> None:
        """Writes the file of statistics, which `tactus compare` reads."""
        _write(path, self._native.statistics_text(), "tactus.Run.save_statistics")

    def save_report(self, path: PathLike) -> None:
        """Writes the HTML page about the run. Needs accounts=True."""
        if self._native.accounts() is None:
            raise Error("the page shows what happened when; give accounts=True")
        _write(path, self._native.page(), "tactus.Run.save_report")

    def _repr_html_(self) -> str:
        return f"<pre>{self.summary()}</pre>"

    def __repr__(self) -> str:
        return f"<tactus.Run {self.cycles} cycles = {self.milliseconds:.3f} ms>"


def _write(path: PathLike, text: str, where: str) -> None:
    _native.write_text(path_text(path, where), text)


_NAMED = ("max_cycles", "mode", "tcus")  # options that are named arguments of the functions


def _others(of_kernels: bool) -> Dict[str, str]:
    """The keyword arguments of a run that have no name of their own, and their kinds."""
    return {k: kind for k, kind in _native.run_options(of_kernels) if k not in _NAMED}


_OF_MODELS = _others(False)
OF_KERNELS = _others(True)


def refuse_others(where: str, key: str, of_kernels: bool) -> None:
    """Refuses options of runs that these runs do not have, with the reason."""
    reason = _native.why_not(key, of_kernels)
    if reason:
        raise Error(f"{where}: {key} {reason}")


def request_text(
    where: str,
    others: Mapping[str, Any],
    max_cycles: int,
    events: bool,
    accounts: bool,
    kinds: Mapping[str, str] = _OF_MODELS,
    **named: Any,
) -> str:
    """Checks the options of a run and returns them as JSON."""
    made: Dict[str, Any] = {"event_rows": bool(events), "account_rows": bool(accounts), **named}
    limit = whole(max_cycles, f"{where}: max_cycles")
    if limit != 0:
        made["max_cycles"] = limit
    for key, value in others.items():
        if key not in kinds:
            refuse_others(where, key, kinds is OF_KERNELS)
            raise Error(f"{where}: there is no {key}; allowed: {', '.join(kinds)}")
        if value is None:
            continue
        if kinds[key] == "text":
            made[key] = path_text(value, f"{where}: {key}")
        elif kinds[key] == "boolean":
            made[key] = instance(value, bool, f"{where}: {key}", "True, False")
        elif kinds[key] == "real":
            made[key] = instance(value, (int, float), f"{where}: {key}", "numbers")
        elif kinds[key] == "texts":
            globs = [value] if isinstance(value, str) else list(value)
            made[key] = [instance(one, str, f"{where}: {key}", "texts") for one in globs]
        else:
            made[key] = whole(value, f"{where}: {key}")
    return json_text(made, where)


Inputs = Union[Mapping[str, Any], Any]


def _arguments(
    where: str,
    model: Model,
    inputs: Optional[Inputs],
    *,
    max_cycles: int = 0,
    mode: str = "plain",
    events: bool = False,
    accounts: bool = False,
    tcus: int = 1,
    **files: Any,
) -> Tuple[Any, ...]:
    """Checks the arguments of a model's run and returns them in the order of _native."""
    instance(model, Model, f"{where}: model", "a tactus.Model")
    if not isinstance(inputs, Mapping):
        if inputs is None:
            inputs = {}
        elif len(model.inputs) != 1:
            names = ", ".join(f'"{tensor.name}"' for tensor in model.inputs)
            raise Error(f"{where}: the model has several inputs; give a dict with {names}")
        else:
            inputs = {model.inputs[0].name: inputs}
    return (
        model._native,
        dict(inputs),
        request_text(
            where,
            files,
            max_cycles,
            events,
            accounts,
            mode=instance(mode, str, f"{where}: mode", "plain, driver"),
            tcus=tcus,
        ),
    )


class Machine:
    """A machine with its memories, which keep their contents from run to run.

    configuration: a Configuration, or the name of a board.

    A process may have several machines, which take turns. While one of them runs, any use of
    another raises tactus.Error, since SystemC has one kernel at work in a process.
    """

    def __init__(self, configuration: ConfigurationLike) -> None:
        self._configuration = configuration_of(configuration, "tactus.Machine")
        self._native = _native.Machine(self._configuration._native)

    @property
    def configuration(self) -> Configuration:
        """The configuration that the machine was made from."""
        return self._configuration

    def run(
        self,
        model: Model,
        inputs: Optional[Inputs] = None,
        *,
        max_cycles: int = 0,
        mode: str = "plain",
        events: bool = False,
        accounts: bool = False,
        **files: Any,
    ) -> Run:
        """Loads a model and runs images through it.

        inputs: arrays by input name, or the array of the only input, in the model's own layout
            (Model.inputs). Arrays with k times the elements of an image run k images. Values beyond
            the data type's range saturate, with a warning.
        max_cycles: limit for each image; 0: none. An image that takes longer raises StuckError, and
            so does a program that hangs.
        mode: "plain", or "driver" to configure the machine and to detect completion as real drivers
            do.
        events, accounts: record Run.events, Run.accounts.
        files: options of `tactus run`, by keyword:
            energy: name or path of a table, whose energies are in the statistics
            timeline: path of a timeline to write, for Perfetto or chrome://tracing
            timeline_from, timeline_to, timeline_min, timeline_max_events: what is in it
            vcd, fst: path of a waveform to write
            gtkw, surfer: path of a viewer's file to write, for the waveform
            trace_scope: globs of the signals that are traced
            trace_from, trace_to: first and last cycle of the waveform
            trace_pc, trace_tracepoint, trace_timeout, trace_pre, trace_post: triggers of it
            trace_depth: levels of units that are traced
            vcd_limit: size in MB at which the VCD ends
            retire_log: path of a file to write with every instruction's retire cycle
        """
        arguments = _arguments(
            "tactus.Machine.run",
            model,
            inputs,
            max_cycles=max_cycles,
            mode=mode,
            events=events,
            accounts=accounts,
            **files,
        )
        return Run(self._native.run(*arguments))

    def run_program(
        self,
        program: Union[bytes, str],
        *,
        max_cycles: int = 0,
        events: bool = False,
        accounts: bool = False,
        **files: Any,
    ) -> Run:
        """Runs a program without a model: bytes of a .tprog, or text for assemble(). The other
        arguments are those of run()."""
        where = "tactus.Machine.run_program"
        if isinstance(program, str):
            program = _native.assemble(self._configuration._native, program)
        instance(program, bytes, where, "bytes or a text")
        return Run(
            self._native.run_program(
                program,
                request_text(where, files, max_cycles, events, accounts),
            )
        )

    def read(self, memory: str, first: int, count: int) -> np.ndarray:
        """Reads count vectors of a memory (dram0, dram1, local, acc), from vector first on, as rows
        of numbers. No simulated time passes."""
        where = "tactus.Machine.read"
        return self._native.read(
            instance(memory, str, where, "dram0, dram1, local, acc"),
            whole(first, f"{where}: first"),
            whole(count, f"{where}: count"),
        )

    def write(self, memory: str, first: int, values: Any) -> None:
        """Writes rows of numbers to vectors of dram0 or dram1, from vector first on. No simulated
        time passes."""
        where = "tactus.Machine.write"
        self._native.write(
            instance(memory, str, where, "dram0, dram1"), whole(first, f"{where}: first"), values
        )

    @property
    def cycle(self) -> int:
        """Number of cycles that the machine has simulated since it was made."""
        return self._native.cycle()


def run(
    model: Model,
    inputs: Optional[Inputs] = None,
    configuration: Optional[ConfigurationLike] = None,
    *,
    tcus: int = 1,
    **options: Any,
) -> Run:
    """Runs a model on a machine that is made for it.

    configuration: the machine; None: the board that the model was compiled for.
    tcus: number of units behind one memory, to which the images are dealt out, as with
        `tactus run --tcus`. The statistics have it as "tcus". Events, accounts and files show the
        first unit; a timeline shows all.

    The other arguments are those of Machine.run().
    """
    instance(model, Model, "tactus.run: model", "a tactus.Model")
    units = whole(tcus, "tactus.run: tcus", 1)
    if units != 1:
        native = (
            model._native.configuration()
            if configuration is None
            else configuration_of(configuration, "tactus.run")._native
        )
        arguments = _arguments("tactus.run", model, inputs, tcus=units, **options)
        return Run(_native.run_on_units(native, *arguments))
    if configuration is not None:
        return Machine(configuration).run(model, inputs, **options)
    made = Machine.__new__(Machine)
    made._native = _native.Machine(model._native.configuration())
    return made.run(model, inputs, **options)
