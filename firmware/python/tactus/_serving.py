"""Several models on the units of one board, and requests that arrive."""

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from . import _native
from ._arguments import instance, json_text, path_text, whole
from ._model import ConfigurationLike, Model, PathLike, configuration_of


class Served(NamedTuple):
    """What serve() returns."""

    figures: Dict[str, Any]
    """The figures of models, units and memory: "serving" of `tactus run --stats`."""
    requests: List[Dict[str, Any]]
    """The requests that are done, in order of arrival: model, unit, and the cycles arrival, taken,
    begin and end."""


def serve(
    models: Mapping[str, Union[Model, PathLike]],
    configuration: Optional[ConfigurationLike] = None,
    *,
    tcus: int = 1,
    on: Optional[Mapping[str, Sequence[int]]] = None,
    arrivals: Optional[Mapping[str, PathLike]] = None,
    duration: Optional[str] = None,
    images: Optional[int] = None,
    queue: Optional[int] = None,
    order: str = "turns",
    unit_clocks: Optional[Mapping[int, float]] = None,
    slowdowns: bool = False,
) -> Served:
    """Serves requests for models on the units of one board, cycle by cycle, as `tactus run` with
    several models does. All inputs are zeroes: no cycle depends on them.

    models: compiled models, or .tmodel files, by name.
    configuration: the board for all models, such as
        Configuration("zcu104", arbitration="fixed:unit0"); None: the one they were compiled for.
        Each model keeps its architecture.
    tcus: units behind the board's memory.
    on: numbers of the units that run a model; by default models are dealt out.
    arrivals: "30/s", "poisson:30/s:7" or a file of times, by model; by default a request arrives
        whenever a unit can begin one.
    duration: requests arrive and are begun for this long: "2s", "250ms".
    images: requests for each model.
    queue: requests that may wait for each model; more are dropped.
    order: which of its models a free unit takes: "turns", or by "priority" the first of models.
    unit_clocks: MHz by unit, of units that do not have the board's clock; times in `requests` are
        then in ps.
    slowdowns: True: serve each model and each pair again, and compare.
    """
    where = "tactus.serve"
    instance(models, Mapping, f"{where}: models", "a dict of names and models")
    if not models:
        raise _native.Error(f"{where}: models: there are none")
    named = []
    for name, model in models.items():
        instance(name, str, f"{where}: models", "names as texts")
        if not isinstance(model, Model):
            model = Model(path_text(model, f"{where}: model {name}"))
        named.append((name, model._native))
    options: Dict[str, Any] = {
        "tcus": whole(tcus, f"{where}: tcus", 1),
        "order": order,
        "slowdowns": bool(slowdowns),
    }
    if on is not None:
        instance(on, Mapping, f"{where}: on", "a dict of models and lists of units")
        options["on"] = [
            f"{name}={','.join(str(whole(unit, f'{where}: on {name}')) for unit in units)}"
            for name, units in on.items()
        ]
    if arrivals is not None:
        instance(arrivals, Mapping, f"{where}: arrivals", "a dict of models and texts")
        options["arrivals"] = [
            f"{name}={path_text(text, f'{where}: arrivals {name}')}"
            for name, text in arrivals.items()
        ]
    if unit_clocks is not None:
        instance(unit_clocks, Mapping, f"{where}: unit_clocks", "a dict of units and MHz")
        options["unit_clocks"] = [f"{unit}={mhz}" for unit, mhz in unit_clocks.items()]
    for key, value in (("duration", duration), ("images", images), ("queue", queue)):
        if value is not None:
            options[key] = value
    machine = None
    if configuration is not None:
        machine = configuration_of(configuration, where)._native
    result = _native.serve(named, machine, json_text(options, where))
    return Served(result["serving"], result["requests"])
