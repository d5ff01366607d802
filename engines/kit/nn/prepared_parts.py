"""prepare_parts: makes what a network multiplies from what the checkpoint has, part by part."""

from torch import nn

__all__ = ["prepare_parts"]


def prepare_parts(network: nn.Module, kinds: type) -> None:
    """Have every part of these kinds (a union of classes with `prepare_weights`) prepare its weights. Once, after loading.

    Parts replace their own parameters, so that they are listed before the first does.
    """
    for part in [module for module in network.modules() if isinstance(module, kinds)]:
        part.prepare_weights()
    network.requires_grad_(False)
