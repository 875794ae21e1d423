"""Checks that the fields of a record from a file have their declared types."""

from __future__ import annotations

import collections.abc
import types
import typing
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, NewType, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

TypeCheck = Callable[[Any], bool]
_NUMBERS: dict[Any, tuple[type, ...]] = {
    float: (float, int, np.floating, np.integer),
    int: (int, np.integer),
    bool: (bool, np.bool_),
}
"""Accepted types of numbers: an int is accepted as a float, a bool is not a number."""
_CONTAINERS = (list, tuple, deque, set, frozenset)
_ABSTRACT = (collections.abc.Sequence, collections.abc.Collection, collections.abc.Iterable)
_ITEMS: dict[Any, tuple[type, ...]] = {kind: (kind,) for kind in _CONTAINERS}
_ITEMS |= dict.fromkeys(_ABSTRACT, _CONTAINERS)
"""Containers of values of one type."""


@cache
def field_checks(kind: type) -> dict[str, tuple[TypeCheck, str]]:
    """Return, for each declared field of a record, a type check and the declared type.

    Raises:
        NameError: a type is named that is not defined in the module at run time.
    """
    hints = get_type_hints(kind)
    return {name: (fits(hint), getattr(hint, "__name__", str(hint))) for name, hint in hints.items()}


def returned(function: Callable[..., Any]) -> TypeCheck:
    """Return a check for the return type of a function."""
    return fits(get_type_hints(function)["return"])


def fits(hint: Any) -> TypeCheck:
    """Return a function that checks whether a value is of a type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, NewType):
        return fits(hint.__supertype__)
    if isinstance(hint, TypeVar):
        return fits(hint.__bound__) if hint.__bound__ is not None else _anything
    if hint in (Any, object):
        return _anything
    if origin in (Union, types.UnionType):
        each = [fits(argument) for argument in arguments]
        return lambda value: any(one(value) for one in each)
    if origin is Literal:
        return lambda value: any(type(value) is type(one) and value == one for one in arguments)
    if origin in (typing.Annotated, typing.Final):
        return fits(arguments[0])
    if (
        alias := getattr(origin, "__value__", None)
    ) is not None:  # of a `type` statement, as numpy 2.5 has them
        return fits(alias[arguments])
    if origin is np.ndarray:
        return _fits_array(arguments)
    if origin is tuple:
        return _fits_tuple(arguments)
    if origin in _ITEMS:
        return _fits_items(_ITEMS[origin], fits(arguments[0]))
    if origin in (dict, collections.abc.Mapping):
        key, item = map(fits, arguments)
        return lambda value: (
            isinstance(value, dict) and all(map(key, value)) and all(map(item, value.values()))
        )
    kind = origin or (type(None) if hint is None else hint)
    if kind in _NUMBERS:
        return _fits_number(_NUMBERS[kind], kind is bool)
    return lambda value: isinstance(value, kind)


def _anything(_: Any) -> bool:
    return True


def _fits_number(kinds: tuple[type, ...], is_truth: bool) -> TypeCheck:
    return lambda value: isinstance(value, kinds) and (is_truth or not isinstance(value, (bool, np.bool_)))


def _fits_items(kinds: tuple[type, ...], item: TypeCheck) -> TypeCheck:
    def check(value: Any) -> bool:
        is_container = isinstance(value, kinds)
        return is_container and all(map(item, value))

    return check


def _fits_tuple(arguments: tuple[Any, ...]) -> TypeCheck:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        item = fits(arguments[0])
        return lambda value: isinstance(value, tuple) and all(map(item, value))
    each = [fits(argument) for argument in arguments]
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(each)
        and all(one(item) for one, item in zip(each, value, strict=True))
    )


def _fits_array(arguments: tuple[Any, ...]) -> TypeCheck:
    """Return a check of an array's number type; its shape is not declared."""
    numbers = get_args(arguments[1])[0] if len(arguments) > 1 and get_args(arguments[1]) else Any
    if numbers is Any or isinstance(numbers, TypeVar):
        return lambda value: isinstance(value, np.ndarray)
    return lambda value: isinstance(value, np.ndarray) and bool(np.issubdtype(value.dtype, numbers))
