"""Configurations, networks, and the models that the compiler makes of them."""

import json
import os
import tempfile
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native
from ._arguments import instance, json_text, path_text, whole
from ._export import export, kind_of
from ._native import Error

PathLike = Union[str, "os.PathLike[str]"]


class Configuration:
    """The configuration of a machine.

    board: the name of a board (see boards()) or the path of a board's file.
    architecture: the name of an architecture (see architectures()), the path of a .tarch file, or a
        dict with the keys of one. It replaces the board's.
    values: values that replace single ones of board, architecture and simulation, such as
        clock_mhz=200, read_latency=20, memory_model="fixed", array_size=16, engine="step".
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
        """Returns a configuration in which these values are replaced too."""
        made = Configuration.__new__(Configuration)
        made._board, made._architecture = self._board, self._architecture
        made._replaced = {**self._replaced, **values}
        made._native = _native.Configuration(
            made._board, made._architecture, json_text(made._replaced, "tactus.Configuration")
        )
        return made

    def __getstate__(self) -> Tuple[str, str, Dict[str, Any], Dict[str, Any]]:
        # The values are kept, too: files that they came from may have changed, or be elsewhere.
        return self._board, self._architecture, self._replaced, self._native.values()

    def __setstate__(self, state: Tuple[str, str, Dict[str, Any], Dict[str, Any]]) -> None:
        self._board, self._architecture, self._replaced, values = state
        where = "tactus.Configuration"
        self._native = _native.Configuration(
            self._board, self._architecture, json_text(self._replaced, where)
        )
        if self._native.values() != values:
            raise Error(
                f"{where}: the board or architecture of a pickled configuration has other values "
                "here than where it was made"
            )

    @property
    def board(self) -> str:
        """Name of the board, and the values that differ from the board's; empty without a board."""
        return self._native.board()

    @property
    def architecture(self) -> Dict[str, Any]:
        """The architecture, with the keys of its file."""
        return self._native.architecture()

    @property
    def values(self) -> Dict[str, Any]:
        """All values of the configuration, by key."""
        return self._native.values()

    def __repr__(self) -> str:
        a = self.architecture
        board = f"{self.board}, " if self.board else ""
        return f"<tactus.Configuration {board}{a['array_size']}x{a['array_size']} {a['data_type']}>"


ConfigurationLike = Union[Configuration, PathLike]


def configuration_of(value: ConfigurationLike, where: str) -> Configuration:
    """Returns a configuration as it is, and makes one from the name of a board."""
    if isinstance(value, Configuration):
        return value
    return Configuration(path_text(value, f"{where}: the configuration"))


class Network:
    """A neural network: a name of networks(), the path of an .onnx, .pb, .tflite or topology (.csv)
    file, or an object of PyTorch, Keras or onnx, which its own library exports to ONNX.

    seed: the seed of the weights, for a network of networks().
    example_inputs: for a torch.nn.Module, tensors or arrays of the inputs' shapes: one, a tuple, or
        a dict by parameter. The module is exported in evaluation mode.
    """

    def __init__(self, name: Any, seed: int = 1, *, example_inputs: Any = None) -> None:
        where = "tactus.Network"
        kind = kind_of(name)
        if kind != "torch" and example_inputs is not None:
            raise Error(f"{where}: example_inputs are for a torch.nn.Module only")
        if kind is None:
            path = path_text(name, where)
            self._native = _native.Network(path, whole(seed, f"{where}: seed"))
            return
        with tempfile.TemporaryDirectory() as folder:
            self._native = _native.Network(export(name, kind, example_inputs, folder, where), 1)

    @property
    def name(self) -> str:
        """Name of the network. A file's name is without folder and extension."""
        return self._native.name()

    def save(self, path: PathLike) -> None:
        """Writes the network as an ONNX file."""
        self._native.save(path_text(path, "tactus.Network.save"))

    def __repr__(self) -> str:
        return f"<tactus.Network {self.name}>"


class Tensor(NamedTuple):
    """An input or output of a model."""

    name: str
    shape: Tuple[int, ...]
    """Shape of the array that run() takes or returns; [vectors, array_size] if the model's file does
    not say how tensors lie in memory."""
    order: Optional[Tuple[int, ...]]
    """The dimensions in the order in which memory has them; the last goes along the lanes. None if
    the model's file does not say it, or if only the host reads the tensor."""
    vectors: int
    """Size in memory, in vectors. 0: only the host reads the tensor."""


def _files_of(path: str) -> Dict[str, bytes]:
    """The contents of a .tmodel and of the files beside it that belong to it, by name."""
    folder, name = os.path.split(path)
    names = [name]

    def add_named(value: Any) -> None:
        if isinstance(value, dict):
            for one in value.values():
                add_named(one)
        elif isinstance(value, list):
            for one in value:
                add_named(one)
        elif isinstance(value, str) and value not in names:
            is_part = value.endswith((".tprog", ".tdata", ".onnx", ".json", ".bin"))
            if is_part and os.path.isfile(os.path.join(folder, value)):
                names.append(value)

    tensors = os.path.splitext(name)[0] + ".tensors.json"
    if os.path.exists(os.path.join(folder, tensors)):
        names.append(tensors)
    for described in list(names):
        with open(os.path.join(folder, described), encoding="utf-8") as text:
            add_named(json.load(text))
    contents = {}
    for one in names:
        with open(os.path.join(folder, one), "rb") as file:
            contents[one] = file.read()
    return contents


class Model:
    """A compiled model: a program with its constants and the places of its tensors.

    compile() returns a model; Model(path) reads a .tmodel file.
    """

    def __init__(self, path: PathLike) -> None:
        self._set(_native.Model(path_text(path, "tactus.Model")))
        self._path = os.path.abspath(path)

    @classmethod
    def _of(cls, native: "_native.Model") -> "Model":
        made = cls.__new__(cls)
        made._set(native)
        return made

    def _set(self, native: "_native.Model") -> None:
        self._native = native
        self._about = native.describe()
        self._path = ""  # of the .tmodel, for a model that was read from a file
        self._files: Dict[str, bytes] = {}  # by name, of a model that was pickled

    def __getstate__(self) -> Tuple[Dict[str, Any], Dict[str, bytes]]:
        if self._files:
            return self._about, self._files
        if self._path:
            return self._about, _files_of(self._path)
        with tempfile.TemporaryDirectory() as folder:
            return self._about, _files_of(self._native.save(folder, ""))

    def __setstate__(self, state: Tuple[Dict[str, Any], Dict[str, bytes]]) -> None:
        about, files = state
        # A machine reads the DRAM file of a board of the user's when it is made.
        self._folder = tempfile.TemporaryDirectory()
        folder = self._folder.name
        for name, data in files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        path = next(name for name in files if name.endswith(".tmodel"))
        self._set(_native.Model(os.path.join(folder, path)))
        self._about, self._files = about, files

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
        """Name of the model."""
        return self._about["name"]

    @property
    def architecture(self) -> Dict[str, Any]:
        """The architecture that the model was compiled for. It runs on no other."""
        return self._about["architecture"]

    @property
    def board(self) -> Optional[str]:
        """Name of the board that the model was compiled for; None: it was compiled for none."""
        return self._about["board"]

    @property
    def inputs(self) -> List[Tensor]:
        """The inputs, which run() takes."""
        return self._tensors("inputs")

    @property
    def outputs(self) -> List[Tensor]:
        """The tensors that the program leaves in memory. If the host computes something after the
        program, run() returns the host's results instead of these."""
        return self._tensors("outputs")

    @property
    def layers(self) -> List[str]:
        """Names of the layers, in the order of the program."""
        return self._about["layers"]

    @property
    def notes(self) -> List[str]:
        """Decisions of the compiler that a user should see. A model read from a file has none."""
        return self._about.get("notes", [])

    @property
    def constant_losses(self) -> List[Dict[str, Any]]:
        """Tensors of constants of which the data type loses something. Each has its name (tensor),
        its values other than 0, how many of these saturate (saturated), become 0 (became_0) and
        otherwise lose more than 1 % (lost_1_percent), and the largest loss of a value relative to
        it (largest_loss). A model read from a file has none."""
        return self._about.get("constant_losses", [])

    @property
    def instructions(self) -> int:
        """Number of the program's instructions."""
        return self._about["instructions"]

    @property
    def macs(self) -> Optional[int]:
        """Multiply-accumulates of the network, without those on padding; None for a model read from
        a file."""
        return self._about.get("macs")

    @property
    def macs_with_padding(self) -> Optional[int]:
        """Multiply-accumulates of the network, with those on padding, as publications count them;
        None for a model read from a file."""
        return self._about.get("macs_with_padding")

    @property
    def predicted_cycles(self) -> Optional[int]:
        """Cycles that the compiler predicts with optimise=True; None otherwise."""
        return self._about.get("predicted_cycles")

    @property
    def program(self) -> bytes:
        """The program, as the bytes of a .tprog file."""
        return self._native.program()

    def disassemble(self) -> str:
        """Returns the program as text."""
        return self._native.disassemble()

    def save(self, folder: PathLike, name: str = "") -> str:
        """Writes .tmodel, .tprog, .tdata and .tensors.json, all or none. Returns the path of the
        .tmodel. Without a name, the files' name is made from those of network and board."""
        where = "tactus.Model.save"
        folder = path_text(folder, where)
        if not self._files:
            return self._native.save(folder, path_text(name, f"{where}: name"))
        if name:
            raise Error(f"{where}: name: the files of a model that was pickled keep their names")
        os.makedirs(folder, exist_ok=True)
        for file_name, data in self._files.items():
            with open(os.path.join(folder, file_name), "wb") as file:
                file.write(data)
        path = next(file_name for file_name in self._files if file_name.endswith(".tmodel"))
        return os.path.join(folder, path)

    def __repr__(self) -> str:
        return f"<tactus.Model {self.name}: {self.instructions} instructions>"


def compile(
    network: Any,
    configuration: ConfigurationLike,
    *,
    example_inputs: Any = None,
    outputs: Optional[Sequence[str]] = None,
    input_shapes: Optional[Mapping[str, Sequence[int]]] = None,
    input_values: Optional[Mapping[str, Union[float, Sequence[float]]]] = None,
    **options: Any,
) -> Model:
    """Compiles a network for a machine.

    network: a Network, or what Network() takes: a name, the path of a file, a torch.nn.Module, ...
    configuration: a Configuration, or the name of a board.
    example_inputs: see Network.
    outputs: names of tensors to compute instead of the graph's outputs.
    input_shapes: shapes of inputs by name, for sizes that the network leaves open. The name ""
        stands for all other inputs.
    input_values: inputs that are fixed: a number for all elements, or a list of them.
    options: options of `tactus compile`: strategy="local-vars", optimise=True, effort=200,
        compat=True, via="stripe", separate_outputs=True.
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
    if input_values is not None:
        instance(input_values, Mapping, f"{where}: input_values", "a dict of names and numbers")
        given["input_values"] = {
            name: [float(number) for number in (values if isinstance(values, Sequence) else [values])]
            for name, values in input_values.items()
        }
    if isinstance(network, Network):
        if example_inputs is not None:
            raise Error(f"{where}: example_inputs belong to the Network, which is made already")
        graph = network
    else:
        graph = Network(network, example_inputs=example_inputs)
    machine = configuration_of(configuration, where)
    return Model._of(_native.compile(graph._native, machine._native, json_text(given, where)))


def assemble(text: str, configuration: ConfigurationLike) -> bytes:
    """Converts a program's text to the bytes of a .tprog file. `tactus explain asm` describes the
    text. Every instruction must be legal on the architecture."""
    where = "tactus.assemble"
    instance(text, str, where, "a text")
    return _native.assemble(configuration_of(configuration, where)._native, text)
