"""Values of arguments and options, converted without pydantic where nothing can be wrong with them.

Typer has pydantic convert each value, a text to a text too, and loading that takes longer than
most commands. It still converts, and words the error, wherever more than this is to be done.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, get_args, get_origin

_NUMBER = re.compile("[0-9]{1,9}")


class _NotPlainError(Exception):
    """A value that Typer has to convert."""


class QuickConversion:
    """A command of Typer, to be inherited before its class, that converts plain values itself."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, those that Typer adds among them."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if "process_value" not in vars(parameter):
                _convert_quickly(parameter)
        return parameters


def _convert_quickly(parameter: Any) -> None:
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is None:
        return
    convert = parameter.process_value

    def process_value(ctx: Any, value: Any) -> Any:
        try:
            converted = _converted(parameter, descriptor.annotation, value)
        except _NotPlainError:
            return convert(ctx, value)
        return parameter.callback(ctx, parameter, converted) if parameter.callback else converted

    parameter.process_value = process_value


def _converted(parameter: Any, annotation: Any, value: Any) -> Any:
    is_list = parameter.multiple or parameter.nargs == -1
    if value is None or value in ((), []):
        if parameter.required:
            raise _NotPlainError
        return () if is_list else None
    if not is_list:
        return _converted_item(parameter, annotation, value)
    if get_origin(annotation) is not list or isinstance(value, str):
        raise _NotPlainError
    (of_item,) = get_args(annotation)
    return [_converted_item(parameter, of_item, item) for item in value]


def _converted_item(parameter: Any, annotation: Any, value: Any) -> Any:
    if annotation is int:
        return _number(parameter, value)
    if annotation is Path and isinstance(value, Path):
        value = str(value)
    # Half a surrogate pair comes from a byte that is not UTF-8.
    if annotation not in (str, Path) or not isinstance(value, str) or not _is_utf8(value):
        raise _NotPlainError
    if annotation is str:
        return value
    # The options of kb ask nothing of a path but that it can be read where it is there.
    if "\0" in value or (os.path.lexists(value) and not os.access(value, os.R_OK)):
        raise _NotPlainError
    return Path(value)


def _number(parameter: Any, value: Any) -> int:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = int(value)
    information = parameter.type_descriptor.parameter_info
    low, high = information.min, information.max
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number or (low is not None and value < low) or (high is not None and value > high):
        raise _NotPlainError
    number: int = value
    return number


def _is_utf8(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
