"""Many points, and runs side by side."""

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
    """Simulates every point of a sweep that the folder of results does not have yet, each in a
    process of its own, and returns the lines of all points, in their order.

    definition: the path of a sweep's file, or what it holds as a dict, whose paths start at the
        working directory.
    folder: of the results, which `tactus sweep`, `report` and `compare` take as well.
    callback: is given the line of each point that ends: "point", "status" ("ok", "failed",
        "killed"), "configuration", "figures" or "error". What it raises ends the sweep; the same
        call goes on with the rest.
    jobs: points at once; 0: as many as there are cores.
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
    """Runs side by side, as `tactus compare --json` writes them: which settings differ, cycles by
    reason, layers, units, and what each difference to the first run is made of.

    runs: by the names that the comparison is to use: compare(small=run_a, large=run_b).
    """
    if len(runs) < 2:
        raise Error("tactus.compare: give two runs or more, each with a name")
    for name, one in runs.items():
        instance(one, Run, f"tactus.compare: {name}", "a tactus.Run")
    return _native.compare([(name, one._native.statistics_text()) for name, one in runs.items()])
