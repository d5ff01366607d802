"""Toys of few layers in every stack, for what engines do with their networks."""

from collections.abc import Mapping
from dataclasses import fields, replace

__all__ = ["shallow", "shallow_checkpoint"]

DEPTHS = {"num_hidden_layers", "residual_lm_num_layers", "num_layers", "n_layer", "n_layers", "depth", "mi_num_layers"}


def shallow(config: Mapping, most_layers: int = 1) -> dict:
    """One layer in every stack is enough for work that is counted: each step goes through all of them, and a second one would do what the
    first does.
    """
    inner = {name: shallow(value, most_layers) if isinstance(value, Mapping) else value for name, value in config.items()}
    return inner | {name: min(inner[name], most_layers) for name in DEPTHS & inner.keys()}


def shallow_checkpoint(checkpoint, most_layers: int = 2):
    """The same of a random checkpoint. With two layers whoever takes one layer's keys for the other's speaks differently."""
    found = {field.name: getattr(checkpoint, field.name) for field in fields(checkpoint)}
    return replace(checkpoint, **{name: shallow(value, most_layers) for name, value in found.items() if isinstance(value, Mapping)})
