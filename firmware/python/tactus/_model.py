"""Configurations, networks, and the models that the compiler makes of them."""

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native
from ._arguments import instance, json_text, path_text, whole
from ._native import Error

PathLike = Union[str, "os.PathLike[str]"]


class Configuration:
    """A machine that is to be built.

    board: the name of a board (see boards()) or the path of a board's file.
    architecture: a name of configs/arch, the path of a .tarch file, or a dict with its keys; instead of the board's.
    values: replace single values of board, architecture and simulation: clock_mhz=200,
        read_latency=20, memory_model="fixed", array_size=16, engine="step".
    """

    def __init__(
        self,
        board: Optional[PathLike] = None,
        *,
        architecture: Union[PathLike, Mapping[str, Any], None] = None,
        **values: Any,
    ) -> None:
        where = "tactus.Configuration"
        self._board = "" if board is None else path_text(board, f"{where}: board")
        if architecture is None:
            self._architecture = ""
        elif isinstance(architecture, Mapping):
            self._architecture = json_text(dict(architecture), f"{where}: architecture")
        else:
            self._architecture = path_text(architecture, f"{where}: architecture")
        self._replaced = dict(values)
        self._native = _native.Configuration(
            self._board, self._architecture, json_text(values, where)
        )

    def replace(self, **values: Any) -> "Configuration":
        """The same with other values."""
        made = Configuration.__new__(Configuration)
        made._board, made._architecture = self._board, self._architecture
        made._replaced = {**self._replaced, **values}
        made._native = _native.Configuration(
            made._board, made._architecture, json_text(made._replaced, "tactus.Configuration")
        )
        return made

    @property
    def board(self) -> str:
        """Name of the board, and what has been changed; empty without a board."""
        return self._native.board()

    @property
    def architecture(self) -> Dict[str, Any]:
        """The keys of the architecture's file."""
        return self._native.architecture()

    @property
    def values(self) -> Dict[str, Any]:
        """Every value by its key."""
        return self._native.values()

    def __repr__(self) -> str:
        a = self.architecture
        board = f"{self.board}, " if self.board else ""
        return f"<tactus.Configuration {board}{a['array_size']}x{a['array_size']} {a['data_type']}>"


ConfigurationLike = Union[Configuration, PathLike]


def configuration_of(value: ConfigurationLike, where: str) -> Configuration:
    """A configuration, or the board of this name."""
    if isinstance(value, Configuration):
        return value
    return Configuration(path_text(value, f"{where}: the configuration"))


class Network:
    """A neural network: a name of networks(), or the path of an .onnx, .pb or topology (.csv) file.

    seed: of the weights of a network that comes with Tactus.
    """

    def __init__(self, name: PathLike, seed: int = 1) -> None:
        self._native = _native.Network(
            path_text(name, "tactus.Network"), whole(seed, "tactus.Network: seed")
        )

    @property
    def name(self) -> str:
        """Its name, without the folder and extension of a file."""
        return self._native.name()

    def save(self, path: PathLike) -> None:
        """Writes it as an ONNX file."""
        self._native.save(path_text(path, "tactus.Network.save"))

    def __repr__(self) -> str:
        return f"<tactus.Network {self.name}>"


class Tensor(NamedTuple):
    """An input or output of a model."""

    name: str
    shape: Tuple[int, ...]
    """Of the arrays that run() takes and gives; [vectors, array_size] where order is None."""
    order: Optional[Tuple[int, ...]]
    """The dimensions in the order in which memory has them, the last along the lanes; None if the
    model's file does not say how its tensors lie in vectors."""
    vectors: int
    """What it takes in memory."""


class Model:
    """A compiled model: a program with its constants and the places of its tensors.

    Made by compile(), or read from a .tmodel file.
    """

    def __init__(self, path: PathLike) -> None:
        self._set(_native.Model(path_text(path, "tactus.Model")))

    @classmethod
    def _of(cls, native: "_native.Model") -> "Model":
        made = cls.__new__(cls)
        made._set(native)
        return made

    def _set(self, native: "_native.Model") -> None:
        self._native = native
        self._about = native.describe()

    def _tensors(self, key: str) -> List[Tensor]:
        return [
            Tensor(
                t["name"],
                tuple(t["shape"]),
                None if t["order"] is None else tuple(t["order"]),
                t["vectors"],
            )
            for t in self._about[key]
        ]

    @property
    def name(self) -> str:
        """Its name."""
        return self._about["name"]

    @property
    def architecture(self) -> Dict[str, Any]:
        """The architecture that it was compiled for; it runs on no other."""
        return self._about["architecture"]

    @property
    def board(self) -> Optional[str]:
        """The board that it was compiled for, if it was for one."""
        return self._about["board"]

    @property
    def inputs(self) -> List[Tensor]:
        """What run() takes."""
        return self._tensors("inputs")

    @property
    def outputs(self) -> List[Tensor]:
        """What the program leaves in memory. Where the host has work after it, run() gives what
        that makes of them."""
        return self._tensors("outputs")

    @property
    def layers(self) -> List[str]:
        """Names of the layers, in the order of the program."""
        return self._about["layers"]

    @property
    def notes(self) -> List[str]:
        """Decisions of the compiler that a user should see; none of a model read from a file."""
        return self._about.get("notes", [])

    @property
    def instructions(self) -> int:
        """Number of the program's instructions."""
        return self._about["instructions"]

    @property
    def macs(self) -> Optional[int]:
        """Multiply-accumulates that the network asks for, without those on padding; None of a
        model read from a file."""
        return self._about.get("macs")

    @property
    def macs_with_padding(self) -> Optional[int]:
        """The same with those on padding, as publications count them."""
        return self._about.get("macs_with_padding")

    @property
    def predicted_cycles(self) -> Optional[int]:
        """By the cost model of optimise=True; None without."""
        return self._about.get("predicted_cycles")

    @property
    def program(self) -> bytes:
        """The bytes of the .tprog."""
        return self._native.program()

    def disassemble(self) -> str:
        """The program as text."""
        return self._native.disassemble()

    def save(self, folder: PathLike, name: str = "") -> str:
        """Writes .tmodel, .tprog, .tdata and .tensors.json, all or none; returns the path of the
        .tmodel. Without a name it follows from those of network and board."""
        where = "tactus.Model.save"
        return self._native.save(path_text(folder, where), path_text(name, f"{where}: name"))

    def __repr__(self) -> str:
        return f"<tactus.Model {self.name}: {self.instructions} instructions>"


def compile(
    network: Union[Network, PathLike],
    configuration: ConfigurationLike,
    *,
    outputs: Optional[Sequence[str]] = None,
    input_shapes: Optional[Mapping[str, Sequence[int]]] = None,
    **options: Any,
) -> Model:
    """Compiles a network for a machine.

    network: a Network, a name of networks(), or the path of an .onnx, .pb or topology (.csv) file.
    configuration: a Configuration, or the name of a board.
    outputs: tensors to compute instead of the graph's outputs.
    input_shapes: sizes that the network leaves open, by input; "" stands for all others.
    options: strategy="local-vars", optimise=True, effort=200, compat=True, via="stripe",
        separate_outputs=True, as `tactus compile` has them.
    """
    where = "tactus.compile"
    given = dict(options)
    if outputs is not None:
        if isinstance(outputs, str):
            raise Error(f"{where}: outputs: a text is not allowed; allowed: a list of names")
        given["outputs"] = list(outputs)
    if input_shapes is not None:
        instance(input_shapes, Mapping, f"{where}: input_shapes", "a dict of names and shapes")
        given["input_shapes"] = {name: list(shape) for name, shape in input_shapes.items()}
    graph = network if isinstance(network, Network) else Network(network)
    machine = configuration_of(configuration, where)
    return Model._of(_native.compile(graph._native, machine._native, json_text(given, where)))


def assemble(text: str, configuration: ConfigurationLike) -> bytes:
    """A program's text as the bytes of a .tprog. The form is described in
    `tactus explain asm`; every instruction has to be legal on the architecture."""
    where = "tactus.assemble"
    instance(text, str, where, "a text")
    return _native.assemble(configuration_of(configuration, where)._native, text)
