"""The kernel of a wave at twice the rate, between two filters; see operations.py. Imported only where there is Triton."""

import triton.language as tl

from engines.kit.fused.launched import launched

__all__ = ["anti_aliased_snake_kernel"]


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
