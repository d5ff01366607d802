"""Triton kernels of attention to the past: queries of one position over keys and values of all earlier ones. See kernels.py.

Scores and sums are float32; weights are rounded to the compute dtype before they weigh values, as matrix units want them.
"""

import triton.language as tl

from engines.kit.fused.launched import launched, wait_for_previous

__all__ = ["attend_to_past_kernel", "join_parts_kernel"]


@launched
def attend_to_past_kernel(tensors, strides, scale, KIND: tl.constexpr):
    """tensors: queries (B, kv heads, groups, d), positions of rows, keys and values (2, B, kv heads, K, d), mixed (B, kv heads, groups, d);
    and where KIND cuts the past into parts, in place of mixed, their weighed sums (B, kv heads, parts, groups, d) and what each group's
    largest score and sum of weights are in each part, (2, B, kv heads, parts, groups), float32.

    strides: of positions, then of keys_values but for channels. KIND: d, groups, keys of a block and of a part, how many parts,
    d and groups as powers of two that a product of matrices takes, whether kernels overlap. Programs: rows by heads of keys by parts. What
    is summed so far is shrunk where a larger score comes (arXiv 1805.02867, algorithm 3).
    """
    queries, positions, keys_values, mixed, weighed, tops = tensors
    position_stride, of_values, of_row, of_head, of_key = strides
    HEAD_DIM: tl.constexpr = KIND[0]
    GROUPS: tl.constexpr = KIND[1]
    BLOCK: tl.constexpr = KIND[2]
    PARTS: tl.constexpr = KIND[4]
    WIDTH: tl.constexpr = KIND[5]
    HEIGHT: tl.constexpr = KIND[6]
    wait_for_previous(KIND[7])
    row, head, part = tl.program_id(0).to(tl.int64), tl.program_id(1), tl.program_id(2)
    pair, first = row * tl.num_programs(1) + head, part * KIND[3]
    group, channel, key = tl.arange(0, HEIGHT)[:, None], tl.arange(0, WIDTH)[None, :], tl.arange(0, BLOCK)
    is_channel = channel < HEAD_DIM
    is_query = (group < GROUPS) & is_channel
    query = tl.load(queries + (pair * GROUPS + group) * HEAD_DIM + channel, mask=is_query, other=0.0)
    end = tl.minimum((tl.load(positions + row * position_stride) + 1).to(tl.int32), first + KIND[3])
    top = tl.full((HEIGHT, 1), float("-inf"), tl.float32)
    total, sums = tl.zeros((HEIGHT, 1), tl.float32), tl.zeros((HEIGHT, WIDTH), tl.float32)
    of_pair = keys_values + row * of_row + head * of_head
    for start in range(first, end, BLOCK):
        at = (start + key)[:, None]
        is_seen = (at < end) & is_channel
        keys = tl.load(of_pair + at * of_key + channel, mask=is_seen, other=0.0)
        scores = tl.dot(query, tl.trans(keys), input_precision="ieee") * scale
        scores = tl.where((start + key)[None, :] < end, scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, axis=1, keep_dims=True))
        shrunk, weight = tl.exp(top - new_top), tl.exp(scores - new_top)
        values = tl.load(of_pair + of_values + at * of_key + channel, mask=is_seen, other=0.0)
        sums = sums * shrunk + tl.dot(weight.to(values.dtype), values, input_precision="ieee")
        total, top = total * shrunk + tl.sum(weight, axis=1, keep_dims=True), new_top
    if PARTS == 1:
        tl.store(mixed + (pair * GROUPS + group) * HEAD_DIM + channel, (sums / total).to(query.dtype), mask=is_query)
    else:
        place = (pair * PARTS + part) * GROUPS + group
        tl.store(weighed + place * HEAD_DIM + channel, sums, mask=is_query)
        tl.store(tops + place, top, mask=group < GROUPS)
        tl.store(tops + tl.num_programs(0) * tl.num_programs(1) * PARTS * GROUPS + place, total, mask=group < GROUPS)


@launched
def join_parts_kernel(tensors, n_places, KIND: tl.constexpr):
    """tensors: weighed, tops and mixed of the kernel before. n_places: B * kv heads * parts * groups. KIND: d, groups, parts, and the
    latter as powers of two, whether kernels overlap. Programs: rows and heads of keys by groups.
    """
    weighed, tops, mixed = tensors
    HEAD_DIM: tl.constexpr = KIND[0]
    GROUPS: tl.constexpr = KIND[1]
    PARTS: tl.constexpr = KIND[2]
    wait_for_previous(KIND[5])
    part, channel = tl.arange(0, KIND[4])[:, None], tl.arange(0, KIND[3])[None, :]
    pair, group = tl.program_id(0).to(tl.int64), tl.program_id(1)
    place, is_part = (pair * PARTS + part) * GROUPS + group, part < PARTS
    top = tl.load(tops + place, mask=is_part, other=float("-inf"))
    share = tl.exp(top - tl.max(top, axis=0, keep_dims=True))
    total = tl.sum(tl.load(tops + n_places + place, mask=is_part, other=0.0) * share, axis=0, keep_dims=True)
    sums = tl.load(weighed + place * HEAD_DIM + channel, mask=is_part & (channel < HEAD_DIM), other=0.0)
    joined = tl.sum(sums * share, axis=0, keep_dims=True) / total
    out = mixed + (pair * GROUPS + group) * HEAD_DIM + channel
    tl.store(out, joined.to(mixed.dtype.element_ty), mask=channel < HEAD_DIM)
