"""Lists of boards, architectures and networks, and the path of the program."""

import os
from typing import Dict, List

from . import _native
from ._location import PROGRAM


def boards() -> List[str]:
    """Names of the boards that come with Tactus."""
    return _native.config_names("boards", ".json")


def architectures() -> Dict[str, str]:
    """Architectures that come with Tactus: paths of their files, by name."""
    folder = os.path.join(_native.config_folder(), "arch")
    names = _native.config_names("arch", ".tarch")
    return {name: os.path.join(folder, name + ".tarch") for name in names}


def networks() -> Dict[str, str]:
    """Networks that compile() takes by name, and the publications of their topologies."""
    return dict(_native.zoo())


def program() -> str:
    """Path of the program `tactus` that belongs to this module. sweep() runs its points with it."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), PROGRAM)
    return os.environ.get("TACTUS_PROGRAM") or os.path.normpath(beside)
