"""Triton kernels of a layer's four products, each with what goes before it and behind it: with attention, five a layer. See kernels.py.

A program holds some outputs of some rows and reads the weights of these outputs once, from the first column to the last: sums do not depend
on how many programs there are. Weights are the left factor, so that few rows fill the narrow side of what matrix units take.
Where KIND says that kernels overlap, a program begins while the kernel before still runs: it reads its first weights, which nobody writes,
and then waits until all that was written before it is there (programmatic dependent launch, CUDA C++ Programming Guide).
"""

import triton
import triton.language as tl

from engines.kit.fused.launched import launched, wait_for_previous

__all__ = [
    "normed_gated_product_kernel",
    "normed_heads_into_cache_kernel",
    "product_kernel",
]


@triton.jit
def _weights(of_out, columns, is_out, DEPTH: tl.constexpr):
    """(OUT, DEPTH). of_out: where the weights of each output begin, (OUT, 1). columns: the first one, and how many there are in all."""
    column = columns[0] + tl.arange(0, DEPTH)[None, :]
    return tl.load(of_out + column, mask=is_out & (column < columns[1]), other=0.0)


@triton.jit
def _rows(of_row, columns, norm, is_row, KIND: tl.constexpr):
    """(ROWS, DEPTH), normed if norm holds a weight. of_row: where each row begins, (ROWS, 1); how many parts of COLUMNS columns a group
    has; elements from group to group and from part to part. columns: as above. norm: the weight, and one over the root mean square of each
    row, (ROWS, 1). KIND: DEPTH, COLUMNS.
    """
    at, n_parts, group_stride, part_stride = of_row
    start, width = columns
    scale, inverse = norm
    DEPTH: tl.constexpr = KIND[0]
    COLUMNS: tl.constexpr = KIND[1]
    along = tl.arange(0, DEPTH)[None, :]
    column, part = start + along, start // COLUMNS
    place = part // n_parts * group_stride + part % n_parts * part_stride + start % COLUMNS + along
    x = tl.load(at + place, mask=is_row & (column < width), other=0.0)
    if scale is not None:
        by = tl.load(scale + column, mask=column < width, other=0.0)
        x = ((x.to(tl.float32) * inverse).to(by.dtype).to(tl.float32) * by.to(tl.float32)).to(by.dtype)
    return x


@triton.jit
def _inverse_rms(at, width_and_eps, is_row, KIND: tl.constexpr):
    """(ROWS, 1) float32: one over the root mean square of each row. KIND: ROWS, DEPTH."""
    width, eps = width_and_eps
    DEPTH: tl.constexpr = KIND[1]
    squares = tl.zeros((KIND[0], DEPTH), tl.float32)
    for start in range(0, width, DEPTH):
        column = start + tl.arange(0, DEPTH)[None, :]
        x = tl.load(at + column, mask=is_row & (column < width), other=0.0).to(tl.float32)
        squares += x * x
    return tl.rsqrt(tl.div_rn(tl.sum(squares, axis=1, keep_dims=True), width.to(tl.float32)) + eps)


@triton.jit
def _product(begun, places, sizes, KIND: tl.constexpr):
    """(OUT, ROWS) float32: weights times rows, summed over all columns. begun: zeros of that shape, and the weights of the first columns,
    which are there already. places: of_out, of_row, norm, see above. sizes: columns, which outputs and which rows there are. KIND: DEPTH,
    COLUMNS.
    """
    total, weights = begun
    of_out, of_row, norm = places
    width, is_out, is_row = sizes
    DEPTH: tl.constexpr = KIND[0]
    total = tl.dot(weights, tl.trans(_rows(of_row, (0, width), norm, is_row, KIND)), total, input_precision="ieee")
    for start in range(DEPTH, width, DEPTH):
        weights = _weights(of_out, (start, width), is_out, DEPTH)
        total = tl.dot(weights, tl.trans(_rows(of_row, (start, width), norm, is_row, KIND)), total, input_precision="ieee")
    return total


@triton.jit
def _biased(total, bias, place, dtype):
    """The sums (OUT, ROWS) with a bias, if there is one, in that dtype. place: outputs (OUT, 1), and which of them there are."""
    out, is_out = place
    if bias is not None:
        total += tl.load(bias + out, mask=is_out, other=0.0).to(tl.float32)
    return total.to(dtype)


@launched
def normed_heads_into_cache_kernel(tensors, strides, sizes, eps, KIND: tl.constexpr):
    """A head of queries, keys or values per program and block of rows, made of the normed rows, rotated, and written where it belongs.

    tensors: residual (R, D), weight of its norm, weight ((heads + 2 * kv heads) * DIM, D), bias or None, weight of all normed heads or
    None, cos and signed sin or None, positions, the cache, queries (B, kv heads, groups, T, DIM). strides: of residual's rows; of cos and
    sin over B, T; of positions over B, T; of the cache over keys and values, B, heads, length. sizes: R, T, D, query heads, key heads.
    KIND: DIM, rotated channels, whether pairs are neighbors, DIM's block, ROWS, DEPTH, COLUMNS, whether kernels overlap.
    """
    residual, scale, weight, bias, head_weight, cos, signed_sin, positions, cache, queries = tensors
    row_stride, turn_b, turn_t, position_b, position_t, cache_kind, cache_b, cache_head, cache_length = strides
    n_rows, length, width, n_heads, n_kv_heads = sizes
    DIM: tl.constexpr = KIND[0]
    ROTATED: tl.constexpr = KIND[1]
    HEAD: tl.constexpr = KIND[3]
    ROWS: tl.constexpr = KIND[4]
    DEPTH: tl.constexpr = KIND[5]
    COLUMNS: tl.constexpr = KIND[6]
    head, channel = tl.program_id(0), tl.arange(0, HEAD)[:, None]
    of_out, is_channel = weight + (head * DIM + channel).to(tl.int64) * width, channel < DIM
    first = _weights(of_out, (0, width), is_channel, DEPTH)
    wait_for_previous(KIND[7])
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    is_row = (row < n_rows)[:, None]
    at = residual + row[:, None].to(tl.int64) * row_stride
    norm = scale, _inverse_rms(at, (width, eps), is_row, (ROWS, DEPTH))
    places = of_out, (at, 1, 0, 0), norm
    total = _product((tl.zeros((HEAD, ROWS), tl.float32), first), places, (width, is_channel, is_row), (DEPTH, COLUMNS))
    x = _biased(total, bias, (head * DIM + channel, is_channel), queries.dtype.element_ty)
    if x.dtype == tl.float16:
        x = x + x * 0.0  # see overflow_as_nan
    b, t = (row // length).to(tl.int64)[None, :], (row % length).to(tl.int64)[None, :]
    is_held = is_channel & (row < n_rows)[None, :]
    position = tl.load(positions + b * position_b + t * position_t, mask=b * length + t < n_rows, other=0)
    new = cache + b * cache_b + position * cache_length
    if head >= n_heads + n_kv_heads:
        tl.store(new + cache_kind + (head - n_heads - n_kv_heads) * cache_head + channel, x, mask=is_held)
    else:
        if head_weight is not None:
            wide = x.to(tl.float32)
            unit = (wide * tl.rsqrt(tl.div_rn(tl.sum(wide * wide, axis=0, keep_dims=True), DIM * 1.0) + eps)).to(x.dtype)
            by = tl.load(head_weight + head * DIM + channel, mask=is_channel, other=0.0)
            x = (unit.to(tl.float32) * by.to(tl.float32)).to(x.dtype)
        if ROTATED > 0:
            pair = channel ^ 1 if KIND[2] else tl.where(channel < ROTATED // 2, channel + ROTATED // 2, channel - ROTATED // 2)
            is_turned = channel < ROTATED
            place = tl.broadcast_to(tl.where(is_turned, pair, channel), (HEAD, ROWS))
            other = tl.gather(x.to(tl.float32), place, axis=0)
            is_turn = is_held & is_turned
            c = tl.load(cos + b * turn_b + t * turn_t + channel, mask=is_turn, other=0.0)
            s = tl.load(signed_sin + b * turn_b + t * turn_t + channel, mask=is_turn, other=0.0)
            first_part = (x.to(tl.float32) * c.to(tl.float32)).to(c.dtype).to(tl.float32)
            second_part = (other * s.to(tl.float32)).to(c.dtype).to(tl.float32)
            x = tl.where(is_turned, (first_part + second_part).to(c.dtype).to(x.dtype), x)
        if head < n_heads:
            tl.store(queries + ((b * n_heads + head) * length + t) * DIM + channel, x, mask=is_held)
        else:
            tl.store(new + (head - n_heads) * cache_head + channel, x, mask=is_held)


@launched
def product_kernel(tensors, strides, sizes, eps, KIND: tl.constexpr):
    """The product of rows, which are normed where there is the weight of a norm, and added to a residual where there is one.

    tensors: rows (B, groups, parts, T, COLUMNS), weight of their norm (D,) or None, weight (N, D), bias or None, residual (R, N) or None,
    what is made (R, N), contiguous, whose numbers are those of the weight's dtype where nothing is added. strides: of rows but for columns;
    of residual's rows. sizes: R, T, parts, D, N. KIND: OUT, ROWS, DEPTH, COLUMNS, whether kernels overlap. Programs: blocks of outputs by
    blocks of rows.
    """
    rows, scale, weight, bias, residual, made = tensors
    row_b, group_stride, part_stride, row_t, residual_stride = strides
    n_rows, length, n_parts, width, n_out = sizes
    OUT: tl.constexpr = KIND[0]
    ROWS: tl.constexpr = KIND[1]
    DEPTH: tl.constexpr = KIND[2]
    COLUMNS: tl.constexpr = KIND[3]
    out = tl.program_id(0) * OUT + tl.arange(0, OUT)[:, None]
    is_out = out < n_out
    of_out = weight + out.to(tl.int64) * width
    first = _weights(of_out, (0, width), is_out, DEPTH)
    wait_for_previous(KIND[4])
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    is_row = (row < n_rows)[:, None]
    at = rows + (row // length)[:, None].to(tl.int64) * row_b + (row % length)[:, None].to(tl.int64) * row_t
    norm = (None, None) if scale is None else (scale, _inverse_rms(at, (width, eps), is_row, (ROWS, DEPTH)))
    places = of_out, (at, n_parts, group_stride, part_stride), norm
    sums = _product((tl.zeros((OUT, ROWS), tl.float32), first), places, (width, is_out, is_row), (DEPTH, COLUMNS))
    x = _biased(sums, bias, (out, is_out), weight.dtype.element_ty)
    across, is_held = row[None, :].to(tl.int64), is_out & (row < n_rows)[None, :]
    if residual is not None:
        before = tl.load(residual + across * residual_stride + out, mask=is_held, other=0.0)
        x = before.to(tl.float32) + x.to(tl.float32)
    tl.store(made + across * n_out + out, x.to(made.dtype.element_ty), mask=is_held)


@launched
def normed_gated_product_kernel(tensors, row_stride, sizes, eps, KIND: tl.constexpr):
    """tensors: residual (R, D), weight of its norm, weight (2 * N, D), gate above up, bias (2 * N,) or None, out (R, N), contiguous: SiLU
    of the gates times the others. sizes: R, D, N. KIND: OUT, ROWS, DEPTH, COLUMNS, whether kernels overlap. Programs: blocks of N by blocks
    of rows.
    """
    residual, scale, weight, bias, made = tensors
    n_rows, width, n_out = sizes
    OUT: tl.constexpr = KIND[0]
    ROWS: tl.constexpr = KIND[1]
    DEPTH: tl.constexpr = KIND[2]
    COLUMNS: tl.constexpr = KIND[3]
    out = tl.program_id(0) * OUT + tl.arange(0, OUT)[:, None]
    is_out = out < n_out
    of_gate, of_up = weight + out.to(tl.int64) * width, weight + (n_out + out).to(tl.int64) * width
    first_gate, first_up = _weights(of_gate, (0, width), is_out, DEPTH), _weights(of_up, (0, width), is_out, DEPTH)
    wait_for_previous(KIND[4])
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    is_row = (row < n_rows)[:, None]
    at = residual + row[:, None].to(tl.int64) * row_stride
    norm = scale, _inverse_rms(at, (width, eps), is_row, (ROWS, DEPTH))
    x = tl.trans(_rows((at, 1, 0, 0), (0, width), norm, is_row, (DEPTH, COLUMNS)))
    gates = tl.dot(first_gate, x, input_precision="ieee")
    ups = tl.dot(first_up, x, input_precision="ieee")
    for start in range(DEPTH, width, DEPTH):
        x = tl.trans(_rows((at, 1, 0, 0), (start, width), norm, is_row, (DEPTH, COLUMNS)))
        gates = tl.dot(_weights(of_gate, (start, width), is_out, DEPTH), x, gates, input_precision="ieee")
        ups = tl.dot(_weights(of_up, (start, width), is_out, DEPTH), x, ups, input_precision="ieee")
    dtype = made.dtype.element_ty
    gate = _biased(gates, bias, (out, is_out), dtype).to(tl.float32)
    up = _biased(ups, bias, (n_out + out, is_out), dtype).to(tl.float32)
    silu = tl.div_rn(gate, 1.0 + tl.exp(-gate)).to(dtype).to(tl.float32)
    tl.store(made + row[None, :].to(tl.int64) * n_out + out, (silu * up).to(dtype), mask=is_out & (row < n_rows)[None, :])
