"""Kernels of waves and of what stands beside them in audio decoders; see wave_operations.py. Imported only where there is Triton."""

import triton
import triton.language as tl

from engines.kit.fused.launched import launched

__all__ = [
    "anti_aliased_snake_kernel",
    "depthwise_conv_kernel",
    "one_channel_conv_kernel",
    "residual_unit_kernel",
    "snake_kernel",
]


@triton.jit
def _snaked(x, frequency, amplitude, dtype):
    """float32 values that are of that dtype, with the waves of their channels added: float32, to be cast to it."""
    angle = (x * frequency.to(tl.float32)).to(dtype)
    wave = tl.sin(angle.to(tl.float32)).to(dtype).to(tl.float32)
    return x + (wave * wave).to(dtype).to(tl.float32) * amplitude.to(tl.float32)


@launched
def snake_kernel(tensors, sizes, strides, BLOCK: tl.constexpr):
    """tensors: rows (B, T, D), what is added to them or None, scale and bias (D,) of the sum or None, frequency and amplitude (D,), the sum
    or None, waves, tail (B, 1, D) or None, new tail. With a tail the waves are (B, T, 2 * D), each row behind the one before.

    sizes: T, D, B * T * D. strides: of rows and of what is added along B and T, of tail along B; what is written is contiguous.
    Programs: blocks of elements of the rows.
    """
    rows, branch, scale, bias, frequency, amplitude, total, waves, tail, new_tail = tensors
    n_rows, width, n_elements = sizes
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < n_elements
    place, channel = element // width, element % width
    batch, row = place // n_rows, place % n_rows
    dtype = waves.dtype.element_ty
    x = tl.load(rows + batch * strides[0] + row * strides[1] + channel, mask=inside, other=0.0).to(tl.float32)
    if branch is not None:
        added = tl.load(branch + batch * strides[2] + row * strides[3] + channel, mask=inside, other=0.0).to(tl.float32)
        x = (x + added).to(dtype).to(tl.float32)
    if total is not None:
        tl.store(total + element, x.to(dtype), mask=inside)
    if scale is not None:
        x = x * tl.load(scale + channel, mask=inside, other=0.0).to(tl.float32)
        x = (x + tl.load(bias + channel, mask=inside, other=0.0).to(tl.float32)).to(dtype).to(tl.float32)
    frequencies = tl.load(frequency + channel, mask=inside, other=0.0)
    risen = _snaked(x, frequencies, tl.load(amplitude + channel, mask=inside, other=0.0), dtype).to(dtype)
    if tail is None:
        tl.store(waves + element, risen, mask=inside)
    else:
        beside = waves + place * 2 * width + channel
        tl.store(beside + width, risen, mask=inside)
        is_last = row == n_rows - 1
        tl.store(beside + 2 * width, risen, mask=inside & (is_last == 0))
        tl.store(new_tail + batch * width + channel, risen, mask=inside & is_last)
        is_first = inside & (row == 0)
        tl.store(beside, tl.load(tail + batch * strides[4] + channel, mask=is_first, other=0.0), mask=is_first)


@triton.jit
def _at(place, tensors, strides, wanted):
    """What lies at places of a tail with the rows behind it. tensors: rows and tail at their channels, and how many rows the tail has.
    strides: along rows and tail.
    """
    of_rows, of_tail, context = tensors
    seen = tl.load(of_rows + (place - context) * strides[0], mask=wanted & (place >= context), other=0.0)
    return seen + tl.load(of_tail + place * strides[1], mask=wanted & (place < context), other=0.0)


@launched
def one_channel_conv_kernel(tensors, sizes, strides, KIND: tl.constexpr):
    """tensors: rows (B, T, D), tail (B, C, D), taps (K * D,), bias (1,) or None, out (B, T), new tail (B, C, D).

    sizes: T, C, D, B * (T + C). strides: of rows and tail along B and T; what is written is contiguous. KIND: K, dilation, places of a
    program, block of channels. Programs: blocks of places: at the first T begins what an output sees, the last C are kept.
    """
    rows, tail, taps, bias, out, new_tail = tensors
    n_rows, context, width, n_places = sizes
    TAPS: tl.constexpr = KIND[0]
    PLACES: tl.constexpr = KIND[2]
    CHANNELS: tl.constexpr = KIND[3]
    place = tl.program_id(0).to(tl.int64) * PLACES + tl.arange(0, PLACES)
    channel = tl.arange(0, CHANNELS)[None, :]
    batch, first = place // (n_rows + context), place % (n_rows + context)
    inside, is_out = (place < n_places)[:, None] & (channel < width), first < n_rows
    of_rows, of_tail = rows + batch[:, None] * strides[0] + channel, tail + batch[:, None] * strides[2] + channel
    given, along = (of_rows, of_tail, context), (strides[1], strides[3])
    total = tl.zeros((PLACES,), tl.float32)
    for tap in tl.static_range(TAPS):
        seen = _at((first + tap * KIND[1])[:, None], given, along, inside & is_out[:, None]).to(tl.float32)
        total += tl.sum(seen * tl.load(taps + tap * width + channel, mask=channel < width, other=0.0).to(tl.float32), axis=1)
    if bias is not None:
        total += tl.load(bias).to(tl.float32)
    tl.store(out + batch * n_rows + first, total.to(out.dtype.element_ty), mask=(place < n_places) & is_out)
    is_kept = inside & (is_out == 0)[:, None]
    kept = _at(first[:, None], given, along, is_kept)
    tl.store(new_tail + (batch * context + first - n_rows)[:, None] * width + channel, kept, mask=is_kept)


@launched
def depthwise_conv_kernel(tensors, sizes, strides, KIND: tl.constexpr):
    """tensors: rows (B, T, D), tail (B, C, D), taps (K, D), bias (D,) or None, frequency and amplitude (D,) of a Snake behind
    or None, out (B, T, D), new tail (B, C, D).

    sizes: T, C, D, B * (T + C) * D. strides: of rows and tail along B and T; what is written is contiguous. KIND: K, dilation, block.
    Programs: blocks of elements of the tail with the rows behind it: at the first T begins what an output sees, the last C are kept.
    """
    rows, tail, taps, bias, frequency, amplitude, out, new_tail = tensors
    n_rows, context, width, n_elements = sizes
    row_batch, row_stride, tail_batch, tail_stride = strides
    TAPS: tl.constexpr = KIND[0]
    BLOCK: tl.constexpr = KIND[2]
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < n_elements
    place, channel = element // width, element % width
    batch, first = place // (n_rows + context), place % (n_rows + context)
    of_rows, of_tail = rows + batch * row_batch + channel, tail + batch * tail_batch + channel
    is_out, is_kept = inside & (first < n_rows), inside & (first >= n_rows)
    given, total = (of_rows, of_tail, context), tl.zeros((BLOCK,), tl.float32)
    if bias is not None:
        total += tl.load(bias + channel, mask=is_out, other=0.0).to(tl.float32)
    for tap in tl.static_range(TAPS):
        seen = _at(first + tap * KIND[1], given, (row_stride, tail_stride), is_out).to(tl.float32)
        total += seen * tl.load(taps + tap * width + channel, mask=is_out, other=0.0).to(tl.float32)
    if frequency is not None:
        dtype = out.dtype.element_ty
        frequencies = tl.load(frequency + channel, mask=is_out, other=0.0)
        total = _snaked(total.to(dtype).to(tl.float32), frequencies, tl.load(amplitude + channel, mask=is_out, other=0.0), dtype)
    tl.store(out + (batch * n_rows + first) * width + channel, total.to(out.dtype.element_ty), mask=is_out)
    kept = _at(first, given, (row_stride, tail_stride), is_kept)
    tl.store(new_tail + (batch * context + first - n_rows) * width + channel, kept, mask=is_kept)


@launched
def residual_unit_kernel(tensors, sizes, strides, KIND: tl.constexpr):
    """A depthwise convolution, the Snake behind it, a product over all channels, and the rows that it is added to; and their next Snake.

    tensors: rows that are convolved (B, T, D), tail (B, C, D), taps (K, D), bias or None, frequency, amplitude (D,), weight (D, D), bias
    or None, frequency and amplitude of the next Snake or None, rows that are added (B, T, D), total and its waves (B, T, D), new tail
    (B, C, D). sizes: T, C, D, B * (T + C). strides: of rows, tail and
    what is added along B and T; what is written is contiguous. KIND: K, dilation, places, block of channels, channels at a time.
    Programs: blocks of places, as of depthwise_conv_kernel.
    """
    rows, tail, taps, bias, frequency, amplitude, weight, weight_bias = tensors[:8]
    next_frequency, next_amplitude, residual, total, waves, new_tail = tensors[8:]
    n_rows, context, width, n_places = sizes
    TAPS: tl.constexpr = KIND[0]
    PLACES: tl.constexpr = KIND[2]
    DEPTH: tl.constexpr = KIND[4]
    place = tl.program_id(0).to(tl.int64) * PLACES + tl.arange(0, PLACES)[:, None]
    batch, first = place // (n_rows + context), place % (n_rows + context)
    is_out, is_kept = (place < n_places) & (first < n_rows), (place < n_places) & (first >= n_rows)
    of_rows, of_tail = rows + batch * strides[0], tail + batch * strides[2]
    dtype = total.dtype.element_ty
    OUT: tl.constexpr = KIND[3]
    out = tl.arange(0, OUT)[None, :]
    sums = tl.zeros((PLACES, OUT), tl.float32)
    for start in range(0, width, DEPTH):
        channel = start + tl.arange(0, DEPTH)[None, :]
        is_channel = channel < width
        given, mixed = (of_rows + channel, of_tail + channel, context), tl.zeros((PLACES, DEPTH), tl.float32)
        if bias is not None:
            mixed += tl.load(bias + channel, mask=is_channel, other=0.0).to(tl.float32)
        for tap in tl.static_range(TAPS):
            seen = _at(first + tap * KIND[1], given, (strides[1], strides[3]), is_out & is_channel).to(tl.float32)
            mixed += seen * tl.load(taps + tap * width + channel, mask=is_channel, other=0.0).to(tl.float32)
        frequencies = tl.load(frequency + channel, mask=is_channel, other=0.0)
        amplitudes = tl.load(amplitude + channel, mask=is_channel, other=0.0)
        waved = _snaked(mixed.to(dtype).to(tl.float32), frequencies, amplitudes, dtype).to(dtype)
        of_out = weight + out * width + tl.trans(channel)
        sums = tl.dot(waved, tl.load(of_out, mask=tl.trans(is_channel) & (out < width), other=0.0), sums, input_precision="ieee")
        kept = _at(first, given, (strides[1], strides[3]), is_kept & is_channel)
        tl.store(new_tail + (batch * context + first - n_rows) * width + channel, kept, mask=is_kept & is_channel)
    if weight_bias is not None:
        sums += tl.load(weight_bias + out, mask=out < width, other=0.0).to(tl.float32)
    held = is_out & (out < width)
    before = tl.load(residual + batch * strides[4] + first * strides[5] + out, mask=held, other=0.0).to(tl.float32)
    x, held_at = (before + sums.to(dtype).to(tl.float32)).to(dtype), (batch * n_rows + first) * width + out
    tl.store(total + held_at, x, mask=held)
    if next_frequency is not None:
        frequencies = tl.load(next_frequency + out, mask=out < width, other=0.0)
        amplitudes = tl.load(next_amplitude + out, mask=out < width, other=0.0)
        tl.store(waves + held_at, _snaked(x.to(tl.float32), frequencies, amplitudes, dtype).to(dtype), mask=held)


@launched
def anti_aliased_snake_kernel(tensors, sizes, strides, KIND: tl.constexpr):
    """tensors: rows (B, T, D), tail (B, C, D), up (TAPS / 2, 2, F), down (TAPS, F), frequency and amplitude (D,), out (B, T, D), new
    tail (B, C, D); the tail is TAPS / 2 - 1 rows, then TAPS - 1 double rows; F is 1 or D.

    sizes: T, D, B * (T + C) * D. strides: of rows and tail along B and T, of both filters from tap to tap and along F; what is written is
    contiguous. KIND: TAPS, block, whether these are the first rows of all, before which lie zeros and copies of the first double row: then
    no tail is read. Programs: blocks of elements: at the first T an output, at the last C what is kept.
    """
    rows, tail, up, down, frequency, amplitude, out, new_tail = tensors
    n_rows, width, n_elements = sizes
    row_batch, row_stride, tail_batch, tail_stride, tap_stride, filter_stride = strides
    TAPS: tl.constexpr = KIND[0]
    PAST: tl.constexpr = TAPS // 2 - 1
    CONTEXT: tl.constexpr = PAST + TAPS - 1
    BLOCK: tl.constexpr = KIND[1]
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < n_elements
    place, channel = element // width, element % width
    batch, first = place // (n_rows + CONTEXT), place % (n_rows + CONTEXT)
    of_rows, of_tail = rows + batch * row_batch + channel, tail + batch * tail_batch + channel
    of_up, of_down = up + channel * filter_stride, down + channel * filter_stride
    frequencies = tl.load(frequency + channel, mask=inside, other=0.0).to(tl.float32)
    amplitudes = tl.load(amplitude + channel, mask=inside, other=0.0).to(tl.float32)
    is_out, is_row = inside & (first < n_rows), inside & (first >= n_rows) & (first < n_rows + PAST)
    is_wave = inside & (first >= n_rows + PAST)
    # An output sums TAPS double rows, the newest of which is 2 * first; what is kept is one of them, which the last tap reads.
    newest = tl.where(is_wave, 2 * n_rows - (CONTEXT + n_rows - first), 2 * first)
    total = tl.zeros((BLOCK,), tl.float32)
    for tap in tl.static_range(TAPS):
        double = newest + (tap - TAPS + 1) * (1 - is_wave.to(tl.int64))
        if KIND[2]:
            double = tl.where(double > 0, double, 0)
        wanted = is_out | (is_wave & (tap == TAPS - 1))
        is_new = wanted & (double >= 0)
        row = tl.where(double >= 0, double, 0) // 2
        phase = tl.where(double >= 0, double, 0) % 2
        risen = tl.zeros((BLOCK,), tl.float32)
        for past in tl.static_range(PAST + 1):
            at = row - past
            seen = tl.load(of_rows + at * row_stride, mask=is_new & (at >= 0), other=0.0).to(tl.float32)
            if not KIND[2]:
                seen += tl.load(of_tail + (PAST + at) * tail_stride, mask=is_new & (at < 0), other=0.0).to(tl.float32)
            risen += seen * tl.load(of_up + (2 * past + phase) * tap_stride, mask=is_new, other=0.0).to(tl.float32)
        sine = tl.sin(risen * frequencies)
        value = risen + sine * sine * amplitudes
        if not KIND[2]:
            value += tl.load(of_tail + (CONTEXT + double) * tail_stride, mask=wanted & (double < 0), other=0.0).to(tl.float32)
        weight = tl.load(of_down + tap * tap_stride, mask=is_out, other=0.0).to(tl.float32)
        total += value * tl.where(is_wave, 1.0, weight)
    dtype = out.dtype.element_ty
    tl.store(out + (batch * n_rows + first) * width + channel, total.to(dtype), mask=is_out)
    at = first - PAST
    kept = tl.load(of_rows + at * row_stride, mask=is_row & (at >= 0), other=0.0)
    if not KIND[2]:
        kept += tl.load(of_tail + (PAST + at) * tail_stride, mask=is_row & (at < 0), other=0.0)
    new = new_tail + (batch * CONTEXT + first - n_rows) * width + channel
    tl.store(new, kept, mask=is_row)
    tl.store(new, total.to(dtype), mask=is_wave)
