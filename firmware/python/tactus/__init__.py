"""Tactus simulates tensor accelerators cycle by cycle.

    import numpy as np
    import tactus

    model = tactus.compile("resnet20v2", "zcu104")        # or "net.onnx"
    machine = tactus.Machine("zcu104")
    run = machine.run(model, np.zeros((1, 32, 32, 3)))
    run.cycles, run.outputs, run.statistics["decoder"]

A configuration is a board, or an architecture, of which values may be replaced:

    tactus.Configuration("zcu104", read_latency=20, write_latency=5, array_size=16)

`tactus explain architecture`, `tactus explain board` and `tactus explain run` list its keys. The
options of compile() are those of `tactus explain sweep` under "compiler". A wrong argument raises
tactus.Error with the message that the command line prints.

Machines of one process may take turns. Only one can run at a time, since SystemC has one kernel at
work in a process. sweep() runs each point in a process of its own.
"""

import os
import sys

# Another library of the process (TensorFlow is one) may export a protobuf of its own. The module's
# calls must reach the one that it was linked with.
_flags = sys.getdlopenflags()
sys.setdlopenflags(_flags | getattr(os, "RTLD_DEEPBIND", 0))
try:
    from . import _native
finally:
    sys.setdlopenflags(_flags)

from ._kernel import run_kernel
from ._lists import architectures, boards, networks, program
from ._machine import Machine, Run, run
from ._model import Configuration, Model, Network, Tensor, assemble, compile
from ._native import Error, InternalError, StuckError
from ._serving import Served, serve
from ._sweep import compare, sweep

_native.set_program(program())

__version__: str = _native.version()

__all__ = [
    "Configuration",
    "Error",
    "InternalError",
    "Machine",
    "Model",
    "Network",
    "Run",
    "Served",
    "StuckError",
    "Tensor",
    "architectures",
    "assemble",
    "boards",
    "compare",
    "compile",
    "networks",
    "program",
    "run",
    "run_kernel",
    "serve",
    "sweep",
]
