"""Sweeps, and comparisons of runs."""

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from . import _native
from ._arguments import instance, json_text, path_text, whole
from ._machine import Run
from ._model import PathLike
from ._native import Error

Line = Dict[str, Any]


def sweep(
    definition: Union[PathLike, Mapping[str, Any]],
    folder: PathLike,
    callback: Optional[Callable[[Line], None]] = None,
    *,
    jobs: int = 0,
    retry_failed: bool = False,
    max_cycles: int = 0,
    point_timeout: float = 0,
) -> List[Line]:
    """Simulates the points of a sweep that have no result in the folder yet, each in a process of
    its own. Returns the lines of all points, in their order.

    definition: the path of a sweep's file, or a dict with its contents. Paths in a dict are
        relative to the working directory.
    folder: the folder of the results. `tactus sweep`, `report` and `compare` read it too.
    callback: called with the line of each point that ends: "point", "status" ("ok", "failed",
        "killed"), "configuration", "figures" or "error". If it raises an exception, the sweep ends;
        another call of sweep() simulates the points that are left.
    jobs: number of points that run at the same time; 0: one for each core.
    retry_failed: also simulate points that have failed before.
    max_cycles: cycle limit of each image of a point; 0: none.
    point_timeout: seconds after which a point is killed; 0: never.
    """
    where = "tactus.sweep"
    if isinstance(definition, Mapping):
        text = json_text(dict(definition), where)
        name = os.path.join(os.getcwd(), "sweep")
    else:
        name = path_text(definition, where)
        try:
            with open(name, encoding="utf-8") as file:
                text = file.read()
        except OSError as problem:
            raise Error(f"{name}: {problem.strerror}") from None
        except UnicodeDecodeError:
            raise Error(f"{name}: is no text") from None
    if callback is not None and not callable(callback):
        raise Error(f"{where}: the callback cannot be called")
    if not isinstance(point_timeout, (int, float)) or not 0 <= point_timeout <= 31536000:
        raise Error(f"{where}: point_timeout: {point_timeout} is not allowed; allowed 0..31536000")
    return _native.sweep(
        text,
        name,
        path_text(folder, f"{where}: folder"),
        whole(jobs, f"{where}: jobs", 0, 1024),
        bool(retry_failed),
        whole(max_cycles, f"{where}: max_cycles"),
        float(point_timeout),
        callback,
    )


def compare(**runs: Run) -> Dict[str, Any]:
    """Compares runs, as `tactus compare --json` does: settings that differ, cycles by reason,
    layers, units, and the parts of each difference to the first run.

    runs: runs by the names that the comparison uses: compare(small=run_a, large=run_b).
    """
    if len(runs) < 2:
        raise Error("tactus.compare: give two runs or more, each with a name")
    for name, one in runs.items():
        instance(one, Run, f"tactus.compare: {name}", "a tactus.Run")
    return _native.compare([(name, one._native.statistics_text()) for name, one in runs.items()])
