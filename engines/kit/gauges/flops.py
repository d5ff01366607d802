"""Counts floating-point operations of torch: matrix products, convolutions and attention. All other work is bound by memory.

A multiplication and the addition behind it count as two, as in the data sheets of GPUs. Biases, masks, softmax and scales are left out:
they are fewer by the size of what is summed over.
"""

from collections.abc import Callable, Sequence
from math import prod

from torch import Tensor

__all__ = ["flops"]

WEIGHTS_PRODUCTS = ("normed_heads_into_cache", "product_into_residual", "normed_gated_product", "normed_product")
_LEFT_FACTOR = {"linear": 0, "matmul": 0, "mm": 0, "bmm": 0, "mv": 0, "addmm": 1, "addmv": 1, "baddbmm": 1}  # which argument it is


def flops(operation: str, args: Sequence[object], made: Sequence[Tensor]) -> int:
    """operation: its name in aten. args: as its schema orders them. made: what it gave.

    In inference mode torch shows linear, conv1d and scaled_dot_product_attention; elsewhere what these are made of. Both count alike.
    """
    if operation in _LEFT_FACTOR:
        return 2 * made[0].numel() * _tensor(args, _LEFT_FACTOR[operation]).shape[-1]
    return _COUNTED[operation](args, made) if operation in _COUNTED else 0


def _tensor(args: Sequence[object], index: int) -> Tensor:
    """Of arguments of all kinds one that the operation's schema says is a tensor."""
    tensor = args[index]
    assert isinstance(tensor, Tensor)
    return tensor


def _convolution(args: Sequence[object], made: Sequence[Tensor]) -> int:
    """Every number of the output is a sum over channels of its group and taps."""
    return 2 * made[0].numel() * prod(_tensor(args, 1).shape[1:])


def _transposed_convolution(args: Sequence[object], made: Sequence[Tensor]) -> int:
    """Every number of the input goes to the output channels of its group, tap by tap."""
    return 2 * _tensor(args, 0).numel() * prod(_tensor(args, 1).shape[1:])


def _either_convolution(args: Sequence[object], made: Sequence[Tensor]) -> int:
    transposed = args[6]  # convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    return (_transposed_convolution if transposed else _convolution)(args, made)


def _attention(args: Sequence[object], made: Sequence[Tensor]) -> int:
    """Scores and sums, (..., T, D) with (..., K, D) and (..., K, E), of every pair: a mask that is given spares a kernel nothing."""
    queries, keys, values = (_tensor(args, index) for index in range(3))
    return 2 * prod(queries.shape[:-1]) * keys.shape[-2] * (queries.shape[-1] + values.shape[-1])


def _attention_to_past(args: Sequence[object], made: Sequence[Tensor]) -> int:
    """Of all keys that may be read: which of them are seen, the device knows."""
    queries, keys_values = _tensor(args, 0), _tensor(args, 1)
    return 4 * queries.numel() * keys_values.shape[3]


def _weights_product(args: Sequence[object], made: Sequence[Tensor]) -> int:
    """Of fused/products.py: every number of the matrix, which stands in a list of parameters, is multiplied once for each row."""
    rows, parameters = _tensor(args, 0), next(arg for arg in args if isinstance(arg, list | tuple))
    weight = next(tensor for tensor in parameters if tensor.ndim == 2)
    return 2 * (rows.numel() // weight.shape[1]) * weight.numel()


def _product_within(args: Sequence[object], made: Sequence[Tensor]) -> int:
    """Of an operation with a product among other work: what it makes has as many channels as the matrix (N, D) has columns."""
    parameters = args[3]
    assert isinstance(parameters, Sequence)
    return 2 * made[0].numel() * len(_tensor(parameters, 4 if len(parameters) > 4 else 0))  # of residual_unit; of flow_rows


def _one_channel(args: Sequence[object], made: Sequence[Tensor]) -> int:
    return 2 * made[0].numel() * _tensor(args, 2).numel()


_COUNTED: dict[str, Callable[[Sequence[object], Sequence[Tensor]], int]] = {
    **{f"conv{n}d": _convolution for n in (1, 2, 3)},
    **{f"conv_transpose{n}d": _transposed_convolution for n in (1, 2, 3)},
    "convolution": _either_convolution,
    "attend_to_past": _attention_to_past,
    **dict.fromkeys(WEIGHTS_PRODUCTS, _weights_product),
    **dict.fromkeys(("flow_rows", "residual_unit"), _product_within),
    "one_channel_conv": _one_channel,
    "scaled_dot_product_attention": _attention,
    "_scaled_dot_product_flash_attention": _attention,
    "_scaled_dot_product_efficient_attention": _attention,
    "_scaled_dot_product_cudnn_attention": _attention,
}
