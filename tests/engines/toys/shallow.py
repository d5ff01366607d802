"""Toys of a layer in every stack, for what engines do with their networks; that layers follow one another is parity's claim."""

from collections.abc import Mapping
from dataclasses import fields, replace

__all__ = ["shallow", "shallow_checkpoint"]

DEPTHS = {"num_hidden_layers", "residual_lm_num_layers", "num_layers", "n_layer", "n_layers", "depth", "mi_num_layers"}


def shallow(config: Mapping) -> dict:
    """With a layer in every stack: each step goes through all of them, and a second one would do what the first does."""
    inner = {name: shallow(value) if isinstance(value, Mapping) else value for name, value in config.items()}
    return inner | dict.fromkeys(DEPTHS & inner.keys(), 1)


def shallow_checkpoint(checkpoint):
    """The same of all configurations of a random checkpoint."""
    found = {field.name: getattr(checkpoint, field.name) for field in fields(checkpoint)}
    return replace(checkpoint, **{name: shallow(value) for name, value in found.items() if isinstance(value, Mapping)})
