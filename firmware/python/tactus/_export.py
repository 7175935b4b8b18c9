"""Networks of other libraries, exported to ONNX by these libraries themselves.

None of them is imported here before an object of theirs is given.
"""

import os
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._native import Error


def library_of(network: Any) -> Optional[str]:
    """The library whose network this is: "torch", "keras", "onnx"; None: it is no such object."""
    known = {
        ("torch", "Module"): "torch",
        ("torch", "ExportedProgram"): "torch",
        ("keras", "Model"): "keras",
        ("tf_keras", "Model"): "keras",
        ("onnx", "ModelProto"): "onnx",
        ("torch", "ONNXProgram"): "program",
    }
    for kind in type(network).__mro__:
        found = known.get((kind.__module__.split(".")[0], kind.__name__))
        if found is None and kind.__name__ == "ModelProto" and kind.__module__.startswith("onnx"):
            found = "onnx"
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

    program = not isinstance(module, torch.nn.Module)  # a torch.export.ExportedProgram
    args, kwargs = ((), {}) if program else _torch_inputs(example_inputs, where)
    training = not program and module.training
    if training:
        module.eval()
    try:
        torch.onnx.export(module, args, path, kwargs=kwargs or None, dynamo=True, verbose=False)
    finally:
        if training:
            module.train()


def _export_keras(model: Any, path: str) -> None:
    # Keras exports only a model that has been called.
    zeros = [
        np.zeros([1 if size is None else size for size in given.shape], str(given.dtype))
        for given in getattr(model, "inputs", None) or []
    ]
    if zeros:
        model(zeros[0] if len(zeros) == 1 else zeros)
    model.export(path, format="onnx", verbose=False)


def export(network: Any, library: str, example_inputs: Any, folder: str, where: str) -> str:
    """Writes the network as an ONNX file in the folder, and returns its path. An error of the
    other library is raised as tactus.Error."""
    name = getattr(network, "name", None)
    name = name if isinstance(name, str) and name.isidentifier() else type(network).__name__
    path = os.path.join(folder, name + ".onnx")
    if library != "torch" and example_inputs is not None:
        raise Error(f"{where}: example_inputs are for a torch.nn.Module only")
    try:
        if library == "torch":
            _export_torch(network, example_inputs, path, where)
        elif library == "keras":
            _export_keras(network, path)
        elif library == "program":
            network.save(path)
        else:
            with open(path, "wb") as file:
                file.write(network.SerializeToString())
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
        raise Error(f"{where}: {library} wrote no ONNX file for {type(network).__name__}")
    return path
