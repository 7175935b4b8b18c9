"""Networks of other libraries, exported to ONNX by these libraries themselves.

None of them is imported here before an object of theirs is given.
"""

import os
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from ._native import Error


def kind_of(network: Any) -> Optional[str]:
    """The kind of the object, "torch" or one of EXPORTERS; None: it is of no library known here."""
    known = {
        ("torch", "Module"): "torch",
        ("torch", "ExportedProgram"): "exported",
        ("keras", "Model"): "keras",
        ("tf_keras", "Model"): "keras",
        ("onnx", "ModelProto"): "onnx",
        ("torch", "ONNXProgram"): "program",
    }
    for base in type(network).__mro__:
        found = known.get((base.__module__.split(".")[0], base.__name__))
        if found is not None:
            return found
    return None


def _torch_inputs(example_inputs: Any, where: str) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    """Example inputs by position and by name, as tensors."""
    import torch

    def tensor(value: Any) -> Any:
        return torch.from_numpy(value) if type(value).__module__ == "numpy" else value

    if example_inputs is None:
        raise Error(f"{where}: a torch.nn.Module needs example_inputs: a tensor, or a tuple of them")
    if isinstance(example_inputs, dict):
        return (), {name: tensor(value) for name, value in example_inputs.items()}
    if isinstance(example_inputs, (tuple, list)):
        return tuple(tensor(value) for value in example_inputs), {}
    return (tensor(example_inputs),), {}


def _export_torch(module: Any, example_inputs: Any, path: str, where: str) -> None:
    import torch

    args, kwargs = _torch_inputs(example_inputs, where)
    training = module.training
    if training:
        module.eval()
    try:
        torch.onnx.export(module, args, path, kwargs=kwargs or None, dynamo=True, verbose=False)
    finally:
        if training:
            module.train()


def _export_program(program: Any, path: str) -> None:
    import torch

    torch.onnx.export(program, (), path, dynamo=True, verbose=False)


def _export_keras(model: Any, path: str) -> None:
    # Keras exports only a model that has been called.
    zeros = [
        np.zeros([1 if size is None else size for size in given.shape], str(given.dtype))
        for given in getattr(model, "inputs", None) or []
    ]
    if zeros:
        model(zeros[0] if len(zeros) == 1 else zeros)
    model.export(path, format="onnx", verbose=False)


def _write_onnx(proto: Any, path: str) -> None:
    with open(path, "wb") as file:
        file.write(proto.SerializeToString())


EXPORTERS: Dict[str, Callable[[Any, str], None]] = {
    "exported": _export_program,
    "keras": _export_keras,
    "onnx": _write_onnx,
    "program": lambda program, path: program.save(path),
}
"""Writers of an object of a kind to an ONNX file. Those of kind "torch" need example inputs."""


def export(network: Any, kind: str, example_inputs: Any, folder: str, where: str) -> str:
    """Writes the network as an ONNX file in the folder, and returns its path. An error of the
    other library is raised as tactus.Error."""
    name = getattr(network, "name", None)
    name = name if isinstance(name, str) and name.isidentifier() else type(network).__name__
    path = os.path.join(folder, name + ".onnx")
    try:
        if kind == "torch":
            _export_torch(network, example_inputs, path, where)
        else:
            EXPORTERS[kind](network, path)
    except Error:
        raise
    except ImportError as problem:
        raise Error(
            f"{where}: {problem}; torch's exporter needs the package onnxscript, that of Keras tf2onnx"
        ) from problem
    except Exception as problem:
        lines = str(problem).strip().splitlines() or [type(problem).__name__]
        raise Error(f"{where}: {type(network).__name__} cannot be exported: {lines[0]}") from problem
    if not os.path.isfile(path):
        raise Error(f"{where}: the exporter wrote no ONNX file for {type(network).__name__}")
    return path
