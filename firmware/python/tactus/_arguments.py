"""Checks arguments. A wrong argument raises tactus.Error."""

import json
import os
from typing import Any, Tuple, Union

from ._native import Error


def json_text(value: Any, where: str) -> str:
    """Converts a user's value to JSON. Scalars of numpy count as numbers."""

    def plain(other: Any) -> Any:
        if isinstance(other, os.PathLike):
            return os.fspath(other)
        if hasattr(other, "item") and getattr(other, "ndim", None) == 0:
            return other.item()
        kind = type(other).__name__
        raise Error(f"{where}: {kind} is not allowed; allowed: numbers, texts, lists, dicts")

    try:
        return json.dumps(value, default=plain, allow_nan=False)
    except (TypeError, ValueError) as problem:
        if isinstance(problem, Error):
            raise
        raise Error(f"{where}: {problem}") from None


def path_text(path: Any, where: str) -> str:
    """Returns a path or name as text."""
    try:
        text = os.fspath(path)
    except TypeError:
        kind = type(path).__name__
        raise Error(f"{where}: {kind} is not allowed; allowed: a name or a path") from None
    if not isinstance(text, str):
        raise Error(f"{where}: bytes are not allowed; allowed: a name or a path")
    return text


def whole(value: Any, where: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """Returns a whole number from least to most."""
    try:
        number = value.__index__()
    except AttributeError:
        kind = type(value).__name__
        raise Error(f"{where}: {kind} is not allowed; allowed {least}..{most}") from None
    if isinstance(value, bool) or not least <= number <= most:
        raise Error(f"{where}: {value} is not allowed; allowed {least}..{most}")
    return number


def instance(value: Any, kind: Union[type, Tuple[type, ...]], where: str, allowed: str) -> Any:
    """Returns the value if it is an instance of kind."""
    if not isinstance(value, kind):
        raise Error(f"{where}: {type(value).__name__} is not allowed; allowed: {allowed}")
    return value
