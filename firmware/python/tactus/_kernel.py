"""Kernels on machines with a DPAS array."""

from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from ._arguments import instance, json_text, path_text, whole
from ._machine import OF_KERNELS, Run, refuse_others, request_text
from ._model import PathLike
from ._native import Error

WHERE = "tactus.run_kernel"


def run_kernel(
    program: PathLike,
    machine: str = "pvc",
    *,
    bind: Optional[Mapping[str, Any]] = None,
    set: Optional[Mapping[str, Union[int, Sequence[int]]]] = None,
    kernel: str = "",
    board: str = "",
    max_cycles: int = 0,
    events: bool = False,
    accounts: bool = False,
    **values: Any,
) -> Run:
    """Runs a vISA kernel on a machine with a DPAS array, as `tactus run --machine` does.

    program: the path of a .visaasm or .isa file, or the text of a kernel (several lines).
    machine: the name of a profile in configs/dpas, or the path of a profile.
    bind: inputs of the kernel that are addresses of buffers, by name. A value is the buffer's
        contents (bytes, or an array, whose bytes are taken) or, for a buffer of zeros, its size in
        bytes. Run.outputs has the buffers after the run, as arrays of bytes.
    set: inputs of the kernel that are numbers, by name: one for all threads, or one for each.
    kernel: the name of the kernel; empty: the only one of the program.
    board: the board whose clock, port and memory the machine has; empty: none.
    max_cycles, events, accounts: see Machine.run().
    values: keys of `tactus explain dpas` and `tactus explain board`, such as threads=4 or
        memory_port="ideal"; also the files of Machine.run().
    """
    files = {key: values.pop(key) for key in list(values) if key in OF_KERNELS}
    for key in values:
        refuse_others(WHERE, key, True)
    buffers: List[Tuple[str, bytes]] = []
    for name, contents in (bind or {}).items():
        where = f"{WHERE}: bind {name}"
        if isinstance(contents, (bytes, bytearray)):
            data = bytes(contents)
        elif isinstance(contents, np.ndarray):
            data = contents.tobytes()
        else:
            data = bytes(whole(contents, where, 1, 2**32))
        if not data:
            raise Error(f"{where}: it is empty; a buffer has 1 byte or more")
        buffers.append((name, data))
    numbers: List[Tuple[str, List[int]]] = []
    for name, value in (set or {}).items():
        where = f"{WHERE}: set {name}"
        several = value if isinstance(value, (list, tuple, np.ndarray)) else [value]
        numbers.append((name, [whole(one, where, -(2**63)) for one in several]))
    return Run(
        _native.run_kernel(
            path_text(program, f"{WHERE}: program"),
            path_text(machine, f"{WHERE}: machine"),
            path_text(board, f"{WHERE}: board"),
            instance(kernel, str, f"{WHERE}: kernel", "a name"),
            json_text(values, WHERE),
            buffers,
            numbers,
            request_text(WHERE, files, max_cycles, events, accounts, OF_KERNELS),
        )
    )
