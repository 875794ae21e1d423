"""A small network as a policy, in NumPy: observation to action, for one copy of a world or for many."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np

SIZES = (6, 16, 2)
"""Numbers that go in, between the layers, and out."""
COUNT = sum(a * b + b for a, b in pairwise(SIZES))
"""Weights."""
FILE = Path(__file__).with_name("policy.json")
"""The policy that `learn.py` has learned."""


def act(weights: np.ndarray, observation: np.ndarray) -> np.ndarray:
    """What policies do.

    Args:
        weights: (p, COUNT) of each policy.
        observation: (p, n, SIZES[0]) of each policy in n copies.

    Returns:
        (p, n, SIZES[-1]) from -1 to 1.
    """
    values, at = observation, 0
    for a, b in pairwise(SIZES):
        matrix = weights[:, at : at + a * b].reshape(-1, a, b)
        bias = weights[:, at + a * b : at + a * b + b]
        values = np.tanh(values @ matrix + bias[:, None])
        at += a * b + b
    return values


def save(weights: np.ndarray, file: Path) -> None:
    """Write the (COUNT,) weights of one policy."""
    file.write_text(
        json.dumps({"sizes": SIZES, "weights": [round(float(each), 5) for each in weights]}) + "\n"
    )


def load(file: Path = FILE) -> np.ndarray:
    """(1, COUNT) the weights of the policy in a file."""
    found = json.loads(file.read_text())
    if tuple(found["sizes"]) != SIZES or len(found["weights"]) != COUNT:
        raise SystemExit(f"{file}: found a network of {found['sizes']}, expected {list(SIZES)}")
    return np.array([found["weights"]])
