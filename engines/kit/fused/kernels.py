"""The kernels themselves, in Triton: what one program does with its part of the tensors. The first call imports this; there triton is
installed.

Every result is rounded where the plain layers round it: sums of squares and products in float32, cast to the compute dtype after each
operation that torch would have done by itself. Callers turn off the fusing of multiplications and additions, which would round once less.
Addresses, strides and sizes come in tuples, in the order in which a kernel takes them apart. Strides count elements.
"""

import triton
import triton.language as tl

from engines.kit.fused.launched import launched

__all__ = [
    "add_rms_norm_kernel",
    "draw_codes_cut_first_kernel",
    "draw_codes_kernel",
    "flow_rows_kernel",
    "gated_silu_kernel",
    "gumbel_noise_kernel",
    "rms_norm_kernel",
    "rotate_into_cache_kernel",
    "uniform_noise_kernel",
    "zero_star_step_kernel",
]


@triton.jit
def _unit_rms(wide, sizes_and_eps, dtype):
    """float32 channels of a row, zeros beyond its width, to unit root mean square, in that dtype."""
    width, eps = sizes_and_eps
    return (wide * tl.rsqrt(tl.div_rn(tl.sum(wide * wide, axis=0), width.to(tl.float32)) + eps)).to(dtype)


@launched
def rms_norm_kernel(tensors, width, row_stride, eps, BLOCK: tl.constexpr):
    """tensors: rows, weight, normed, which has the weight's dtype. One program per row; normed is contiguous."""
    rows, weight, normed = tensors
    row, channel = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    inside = channel < width
    x = tl.load(rows + row * row_stride + channel, mask=inside, other=0.0)
    scale = tl.load(weight + channel, mask=inside, other=0.0)
    unit = _unit_rms(x.to(tl.float32), (width, eps), scale.dtype)
    scaled = unit.to(tl.float32) * scale.to(tl.float32)
    tl.store(normed + row * width + channel, scaled.to(scale.dtype), mask=inside)


@launched
def add_rms_norm_kernel(tensors, width, row_strides, eps, BLOCK: tl.constexpr):
    """tensors: residual, branch, weight, total, normed, the last in the weight's dtype, total in the residual's. row_strides: of residual
    and branch. One program per row; the others contiguous.
    """
    residual, branch, weight, total, normed = tensors
    row, channel = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    inside = channel < width
    x = tl.load(residual + row * row_strides[0] + channel, mask=inside, other=0.0)
    added = tl.load(branch + row * row_strides[1] + channel, mask=inside, other=0.0)
    x = (x.to(tl.float32) + added.to(tl.float32)).to(x.dtype)
    tl.store(total + row * width + channel, x, mask=inside)
    scale = tl.load(weight + channel, mask=inside, other=0.0)
    unit = _unit_rms(x.to(tl.float32), (width, eps), scale.dtype)
    scaled = unit.to(tl.float32) * scale.to(tl.float32)
    tl.store(normed + row * width + channel, scaled.to(scale.dtype), mask=inside)


@launched
def gated_silu_kernel(tensors, width, row_stride, BLOCK: tl.constexpr):
    """tensors: gate above up in rows (R, 2 * width), the products (R, width). Programs: rows by blocks of channels."""
    gate_up, out = tensors
    row, channel = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = channel < width
    gate = tl.load(gate_up + row * row_stride + channel, mask=inside, other=0.0)
    up = tl.load(gate_up + row * row_stride + width + channel, mask=inside, other=0.0)
    wide = gate.to(tl.float32)
    silu = tl.div_rn(wide, 1.0 + tl.exp(-wide)).to(gate.dtype)
    tl.store(out + row * width + channel, (silu.to(tl.float32) * up.to(tl.float32)).to(gate.dtype), mask=inside)


@triton.jit
def _moved(x, velocities, numbers, dtype):
    """Numbers of one row, float32, a step further. velocities: conditioned and unconditioned ones. numbers: scale of the guidance, width of
    the step, and what is added to the squared norm.
    """
    c, u = velocities
    product = tl.sum((c * u).to(dtype).to(tl.float32)).to(dtype).to(tl.float32)
    square = tl.sum((u * u).to(dtype).to(tl.float32)).to(dtype).to(tl.float32)
    share = tl.div_rn(product, (square + numbers[2]).to(dtype).to(tl.float32)).to(dtype).to(tl.float32)
    explained = (u * share).to(dtype).to(tl.float32)
    rest = (c - explained).to(dtype).to(tl.float32)
    rest = (numbers[0].to(tl.float32) * rest).to(dtype).to(tl.float32)
    far = (numbers[1] * (explained + rest).to(dtype).to(tl.float32)).to(dtype).to(tl.float32)
    return (x + far).to(dtype).to(tl.float32)


@launched
def zero_star_step_kernel(tensors, width, row_strides, numbers, BLOCK: tl.constexpr):
    """tensors: rows (B, width), velocities (2 * B, width), conditioned ones and unconditioned ones, scale (B,), moved (B, width), which is
    contiguous. row_strides: of the first three. numbers: width of the step, and what is added to the squared norm. Programs: rows.
    """
    rows, velocities, scale, moved = tensors
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    inside = column < width
    c = tl.load(velocities + row * row_strides[1] + column, mask=inside, other=0.0).to(tl.float32)
    u = tl.load(velocities + (tl.num_programs(0) + row) * row_strides[1] + column, mask=inside, other=0.0).to(tl.float32)
    x = tl.load(rows + row * row_strides[0] + column, mask=inside, other=0.0).to(tl.float32)
    far = _moved(x, (c, u), (tl.load(scale + row * row_strides[2]), numbers[0], numbers[1]), moved.dtype.element_ty)
    tl.store(moved + row * width + column, far.to(moved.dtype.element_ty), mask=inside)


@launched
def flow_rows_kernel(tensors, sizes, scale_stride, numbers, KIND: tl.constexpr):
    """Latents a step further, and rows of a network: conditions, the time, rows of before, and what a product makes of the latents; then
    the same with zeros for conditions.

    tensors: latents (B, P, D), velocities (2 * B, P, D) or None where nothing moves yet, scale (B,), conditions (B, C, W), time (W,), rows
    of before (B, L, W), weight (W, D), bias (W,), moved (B, P, D), rows (2 * B, C + 1 + L + P, W); all contiguous. sizes: P, D, C, L, W.
    numbers: as of zero_star_step_kernel. KIND: blocks of rows, of D and of W. Programs: B by blocks of W.
    """
    latents, velocities, scale, conditions, time, before, weight, bias, moved, rows = tensors
    n_latents, depth, n_conditions, n_before, width = sizes
    batch = tl.program_id(0).to(tl.int64)
    dtype = rows.dtype.element_ty
    row, column = tl.arange(0, KIND[0])[:, None], tl.arange(0, KIND[1])[None, :]
    out = tl.program_id(1) * KIND[2] + tl.arange(0, KIND[2])[None, :]
    is_latent, is_out = (row < n_latents) & (column < depth), out < width
    place = (batch * n_latents + row) * depth + column
    x = tl.load(latents + place, mask=is_latent, other=0.0)
    if velocities is not None:
        beyond = tl.num_programs(0) * n_latents * depth
        c = tl.load(velocities + place, mask=is_latent, other=0.0).to(tl.float32)
        u = tl.load(velocities + beyond + place, mask=is_latent, other=0.0).to(tl.float32)
        x = _moved(x.to(tl.float32), (c, u), (tl.load(scale + batch * scale_stride), numbers[0], numbers[1]), dtype).to(dtype)
    tl.store(moved + place, x, mask=is_latent & (tl.program_id(1) == 0))
    factor = tl.load(weight + out * depth + tl.trans(column), mask=is_out & tl.trans(column < depth), other=0.0)
    sums = tl.dot(x, factor, input_precision="ieee") + tl.load(bias + out, mask=is_out, other=0.0).to(tl.float32)
    length = n_conditions + 1 + n_before + n_latents
    first = rows + batch * length * width + out
    second = first + tl.num_programs(0).to(tl.int64) * length * width
    told = tl.load(conditions + (batch * n_conditions + row) * width + out, mask=(row < n_conditions) & is_out, other=0.0)
    tl.store(first + row * width, told, mask=(row < n_conditions) & is_out)
    tl.store(second + row * width, tl.zeros_like(told), mask=(row < n_conditions) & is_out)
    now = tl.load(time + out, mask=is_out, other=0.0)
    kept = tl.load(before + (batch * n_before + row) * width + out, mask=(row < n_before) & is_out, other=0.0)
    for half in tl.static_range(2):
        at = first if half == 0 else second
        tl.store(at + n_conditions * width, now, mask=is_out)
        tl.store(at + (n_conditions + 1 + row) * width, kept, mask=(row < n_before) & is_out)
        tl.store(at + (n_conditions + 1 + n_before + row) * width, sums.to(dtype), mask=(row < n_latents) & is_out)


@triton.jit
def _normed_channels(heads, weight, channel, eps, KIND: tl.constexpr):
    """Some channels of one head, of unit root mean square over all of them and times their weight; as they are without a weight."""
    DIM: tl.constexpr = KIND[0]
    x = tl.load(heads + channel, mask=channel < DIM, other=0.0)
    if weight is not None:
        every = tl.arange(0, KIND[3])
        head = tl.load(heads + every, mask=every < DIM, other=0.0).to(tl.float32)
        mean_square = tl.div_rn(tl.sum(head * head, axis=0), DIM * 1.0)
        unit = (x.to(tl.float32) * tl.rsqrt(mean_square + eps)).to(x.dtype)
        x = (unit.to(tl.float32) * tl.load(weight + channel, mask=channel < DIM, other=0.0).to(tl.float32)).to(x.dtype)
    return x


@launched
def rotate_into_cache_kernel(tensors, strides, sizes, eps, KIND: tl.constexpr):
    """One head of one row per program: heads of queries, then of keys, then of values.

    tensors: packed heads (B, T, heads * DIM), weight of all normed heads or None, cos and signed sin or None, positions, the cache, queries
    (B, kv heads, groups, T, DIM). strides: of packed over B, T; of cos and sin over B, T; of positions over B, T; of the cache over keys
    and values, B, heads, length. sizes: T, query heads, key heads. KIND: DIM, rotated channels, whether pairs are neighbors, DIM's
    block.
    """
    packed, weight, cos, signed_sin, positions, cache, queries = tensors
    packed_b, packed_t, turn_b, turn_t, position_b, position_t, cache_kind, cache_b, cache_head, cache_length = strides
    n_rows, n_heads, n_kv_heads = sizes
    DIM: tl.constexpr = KIND[0]
    ROTATED: tl.constexpr = KIND[1]
    b, t = tl.program_id(0).to(tl.int64) // n_rows, tl.program_id(0).to(tl.int64) % n_rows
    head, channel = tl.program_id(1), tl.arange(0, KIND[3])
    inside = channel < DIM
    heads = packed + b * packed_b + t * packed_t + head * DIM
    at = cache + b * cache_b + tl.load(positions + b * position_b + t * position_t) * cache_length
    if head >= n_heads + n_kv_heads:
        value = tl.load(heads + channel, mask=inside, other=0.0)
        tl.store(at + cache_kind + (head - n_heads - n_kv_heads) * cache_head + channel, value, mask=inside)
    else:
        own = weight if weight is None else weight + head * DIM
        x = _normed_channels(heads, own, channel, eps, KIND)
        if ROTATED > 0:
            pair = channel ^ 1 if KIND[2] else tl.where(channel < ROTATED // 2, channel + ROTATED // 2, channel - ROTATED // 2)
            turned = channel < ROTATED
            other = _normed_channels(heads, own, tl.where(turned, pair, channel), eps, KIND)
            c = tl.load(cos + b * turn_b + t * turn_t + channel, mask=turned, other=0.0)
            s = tl.load(signed_sin + b * turn_b + t * turn_t + channel, mask=turned, other=0.0)
            # in the dtype of the rotation, as apply_rotary sums
            first = (x.to(tl.float32) * c.to(tl.float32)).to(c.dtype).to(tl.float32)
            second = (other.to(tl.float32) * s.to(tl.float32)).to(c.dtype).to(tl.float32)
            x = tl.where(turned, (first + second).to(c.dtype).to(x.dtype), x)
        if head < n_heads:
            tl.store(queries + ((b * n_heads + head) * n_rows + t) * DIM + channel, x, mask=inside)
        else:
            tl.store(at + (head - n_heads) * cache_head + channel, x, mask=inside)


@triton.jit
def _mixed(words):
    """SplitMix64's finalizer, see sampling.py."""
    words = (words ^ (words >> 30)) * 0xBF58476D1CE4E5B9
    words = (words ^ (words >> 27)) * 0x94D049BB133111EB
    return words ^ (words >> 31)


@triton.jit
def _uniform(keys, row, column, inside, BITS: tl.constexpr):
    """float64 of some positions of one row, see sampling.py. keys: seed (B,), frame (B,), positions."""
    seed, frame, positions = keys
    gamma = tl.full(column.shape, 0x9E3779B97F4A7C15, tl.uint64)
    zeros = tl.zeros(column.shape, tl.uint64)
    generator = _mixed(_mixed(zeros + tl.load(seed + row).to(tl.uint64)) + gamma * tl.load(frame + row).to(tl.uint64))
    words = _mixed(generator + gamma * (tl.load(positions + column, mask=inside, other=0) + 1).to(tl.uint64))
    return ((words >> (64 - BITS)).to(tl.int64).to(tl.float64) + 0.5) * (1.0 / (1 << BITS))


@launched
def uniform_noise_kernel(tensors, width, BITS: tl.constexpr, BLOCK: tl.constexpr):
    """tensors: seed (B,), frame (B,), positions (width,), noise (B, width) float64. Programs: rows by blocks of positions."""
    seed, frame, positions, noise = tensors
    row, column = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < width
    tl.store(noise + row * width + column, _uniform((seed, frame, positions), row, column, inside, BITS), mask=inside)


@launched
def gumbel_noise_kernel(tensors, width, BITS: tl.constexpr, BLOCK: tl.constexpr):
    """The same of another distribution, float32."""
    seed, frame, positions, noise = tensors
    row, column = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < width
    uniform = _uniform((seed, frame, positions), row, column, inside, BITS)
    tl.store(noise + row * width + column, (-tl.log(-tl.log(uniform))).to(tl.float32), mask=inside)


@triton.jit
def _rank_of(values):
    """float32 -> int64 in [0, 2^32), in the same order; equal where floats are equal, zeros of both signs too."""
    bits = (values + 0.0).to(tl.int32, bitcast=True)
    return tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(tl.int64) + 2147483648


@triton.jit
def _rank_of_kth(rank, inside, k):
    """The largest rank that k codes reach, found bit by bit."""
    least = tl.zeros((), tl.int64)
    for bit in range(32):
        tried = least + (tl.full((), 1, tl.int64) << (31 - bit))
        enough = tl.sum((inside & (rank >= tried)).to(tl.int32), axis=0) >= k
        least = tl.where(enough, tried, least)
    return least


@triton.jit
def _least_likely_kept(key, probability, limit, CODE_BITS: tl.constexpr):
    """The largest key below which lie probabilities of no more than the limit in all, found bit by bit."""
    least = tl.zeros((), tl.int64)
    for bit in range(32 + CODE_BITS):
        tried = least + (tl.full((), 1, tl.int64) << (31 + CODE_BITS - bit))
        below = tl.sum(tl.where(key < tried, probability, 0.0), axis=0)
        least = tl.where(below <= limit, tried, least)
    return least


LOOKED_UP = tl.constexpr(1024)  # channels of a table's row at a time


@triton.jit
def _look_up(tensors, places, sizes):
    """Write a code's row of a table, if there is one. places: where to, and the code. sizes: from row to row of the table, and channels."""
    table, rows = tensors
    if table is not None:
        row, code = places
        table_stride, width = sizes
        for start in range(0, width, LOOKED_UP):
            channel = start + tl.arange(0, LOOKED_UP)
            found = tl.load(table + code * table_stride + channel, mask=channel < width, other=0.0)
            tl.store(rows + row * width + channel, found, mask=channel < width)


@launched
def draw_codes_kernel(tensors, width, row_strides, CODE_BITS: tl.constexpr):
    """tensors: logits (B, width), noise (B, width), temperature, top_k, top_p, codes, (B,) each, a table (codes, D) and rows (B, D), both
    None where nothing is looked up. row_strides: of logits, noise and table, and D.

    One program per row, which sorts nothing: what sorting decides is whether a code stands below a threshold. Among equal logits the
    higher code is the likelier, as after a stable sort.
    """
    logits, noise, temperature, top_k, top_p, codes, table, rows = tensors
    row = tl.program_id(0).to(tl.int64)
    code = tl.arange(0, 1 << CODE_BITS)  # pyright: ignore[reportOperatorIssue]  # Triton's compiler sees two numbers
    inside = code < width
    warmth, k, p = tl.load(temperature + row), tl.load(top_k + row), tl.load(top_p + row)
    value = tl.load(logits + row * row_strides[0] + code, mask=inside, other=float("-inf")).to(tl.float32)
    value = tl.div_rn(value, tl.where(warmth > 0, warmth, 1.0))
    rank = _rank_of(value)
    if (k > 0) & (k < width):
        value = tl.where(rank < _rank_of_kth(rank, inside, k), float("-inf"), value)
    if p < 1.0:
        likelihood = tl.where(inside, tl.exp(value - tl.max(value, axis=0)), 0.0)
        key = tl.where(inside, (_rank_of(value) << CODE_BITS) + code, -1)
        least = _least_likely_kept(key, likelihood / tl.sum(likelihood, axis=0), 1.0 - p, CODE_BITS)
        value = tl.where((key >= least) | (key == tl.max(key, axis=0)), value, float("-inf"))
    drawn = tl.load(noise + row * row_strides[1] + code, mask=inside, other=0.0)
    best = tl.argmax(value + tl.where(warmth > 0, drawn, 0.0), axis=0, tie_break_left=True)
    drawn_code = tl.minimum(best, width - 1).to(tl.int64)
    tl.store(codes + row, drawn_code)
    _look_up((table, rows), (row, drawn_code), (row_strides[2], row_strides[3]))


# A code and its probability as one number, so that one sum, which is exact, counts codes and adds probabilities.
CODE, CERTAIN = tl.constexpr(2**48), tl.constexpr(2**40)


@triton.jit
def _likeliest_cut(key, weight, k, limit, KEY_BITS: tl.constexpr):
    """The largest key with which, from the largest down, more than k codes come together, or more than the limit of probability; found
    bit by bit. 0 where there is none.
    """
    cut = tl.zeros((), tl.int64)
    for bit in range(KEY_BITS):
        tried = cut + (tl.full((), 1, tl.int64) << (KEY_BITS - 1 - bit))
        total = tl.sum(tl.where(key >= tried, weight, 0), axis=0)
        exceeds = (total // CODE > k) | (total % CODE > limit)
        cut = tl.where(exceeds, tried, cut)
    return cut


@launched
def draw_codes_cut_first_kernel(tensors, sizes, strides, least_temperature, CODE_BITS: tl.constexpr):
    """tensors: logits (B, D, width), noise (B, D, width), temperature, top_k, top_p, (B, D) each, codes (B, D), a table and rows (B * D, C)
    as above. sizes: width, D, from row to row of the table, C. strides: along B and D of all but codes and rows, which are contiguous.

    One program per draw, which sorts nothing, as above. Among equal logits the lower code is the likelier, as where a stable sort falls.
    """
    logits, noise, temperature, top_k, top_p, codes, table, rows = tensors
    width, n_draws, table_stride, n_channels = sizes
    batch, draw = tl.program_id(0).to(tl.int64) // n_draws, tl.program_id(0).to(tl.int64) % n_draws
    code = tl.arange(0, 1 << CODE_BITS)  # pyright: ignore[reportOperatorIssue]  # as above
    inside = code < width
    warmth = tl.load(temperature + batch * strides[4] + draw * strides[5])
    k = tl.load(top_k + batch * strides[6] + draw * strides[7])
    p = tl.load(top_p + batch * strides[8] + draw * strides[9])
    value = tl.load(logits + batch * strides[0] + draw * strides[1] + code, mask=inside, other=float("-inf")).to(tl.float32)
    likelihood = tl.where(inside, tl.exp(value - tl.max(value, axis=0)), 0.0)
    probability = likelihood / tl.sum(likelihood, axis=0)
    weight = tl.where(inside, (probability * CERTAIN).to(tl.int64) + CODE, 0)
    key = tl.where(inside, (_rank_of(value) << CODE_BITS) + ((1 << CODE_BITS) - 1 - code), -1)
    limit = (tl.where(p < 1.0, p, 2.0) * CERTAIN).to(tl.int64)
    cut = _likeliest_cut(key, weight, tl.where(k > 0, k, width), limit, 32 + CODE_BITS)
    drawn = tl.load(noise + batch * strides[2] + draw * strides[3] + code, mask=inside, other=0.0)
    heard = tl.div_rn(value, tl.maximum(warmth, least_temperature)) + tl.where(warmth > 0, drawn, 0.0)
    likeliest = tl.max(key, axis=0)
    kept = (key > tl.where(warmth > 0, cut, likeliest)) | (key == likeliest)
    best = tl.argmax(tl.where(kept, heard, float("-inf")), axis=0, tie_break_left=True)
    drawn_code = tl.minimum(best, width - 1).to(tl.int64)
    tl.store(codes + batch * n_draws + draw, drawn_code)
    _look_up((table, rows), (batch * n_draws + draw, drawn_code), (table_stride, n_channels))
