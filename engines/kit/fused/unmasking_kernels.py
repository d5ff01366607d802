"""Kernels of unmasking; see unmasking_operations.py. Imported only where there is Triton."""

import triton
import triton.language as tl

from engines.kit.fused.launched import launched

__all__ = ["frames_into_rows_kernel", "guided_scores_kernel", "settle_surest_kernel"]


@triton.jit
def _log_softmax(x):
    """Of float32 logits, minus infinity where there are none."""
    shifted = x - tl.max(x, axis=0)
    return shifted - tl.log(tl.sum(tl.exp(shifted), axis=0))


@launched
def frames_into_rows_kernel(tensors, sizes, BLOCK: tl.constexpr):
    """tensors: rows (B, N, D), table (Q * V, D), codes (B, Q, F), places (B, C, F); all contiguous. sizes: Q, F, V, N, D, C. Programs:
    frames. Sums are float32, as torch takes them.
    """
    rows, table, codes, places = tensors
    n_books, n_frames, n_entries, n_rows, width, n_places = sizes
    row, frame = tl.program_id(0).to(tl.int64) // n_frames, tl.program_id(0).to(tl.int64) % n_frames
    channel = tl.arange(0, BLOCK)
    inside = channel < width
    total = tl.zeros((BLOCK,), tl.float32)
    for book in range(n_books):
        entry = book * n_entries + tl.load(codes + (row * n_books + book) * n_frames + frame)
        total += tl.load(table + entry * width + channel, mask=inside, other=0.0).to(tl.float32)
    for number in range(n_places):
        place = tl.load(places + (row * n_places + number) * n_frames + frame)
        tl.store(rows + (row * n_rows + place) * width + channel, total.to(rows.dtype.element_ty), mask=inside)


@launched
def guided_scores_kernel(tensors, sizes, strides, least, BLOCK: tl.constexpr):
    """tensors: codes (B, Q, F), conditional and unconditional logits (B, Q, F, V), settings (B, 4), noise, scores, likeliest (B, Q, F).

    sizes: Q, F, V. strides: of both logits along B, Q, F; of settings along B; all others are contiguous. least: temperature that is
    divided by. Programs: codes.
    """
    codes, conditional, unconditional, settings, noise, scores, likeliest = tensors
    n_books, n_frames, n_entries = sizes
    place = tl.program_id(0).to(tl.int64)
    frame, book, row = place % n_frames, place // n_frames % n_books, place // n_frames // n_books
    entry = tl.arange(0, BLOCK)
    inside = entry < n_entries
    told = conditional + row * strides[0] + book * strides[1] + frame * strides[2]
    untold = unconditional + row * strides[3] + book * strides[4] + frame * strides[5]
    c = _log_softmax(tl.load(told + entry, mask=inside, other=float("-inf")).to(tl.float32))
    u = _log_softmax(tl.load(untold + entry, mask=inside, other=float("-inf")).to(tl.float32))
    own = settings + row * strides[6]
    scale, penalty, temperature = tl.load(own), tl.load(own + 1), tl.load(own + 2)
    log_probs = _log_softmax(tl.where(inside, c + scale * tl.where(inside, c - u, 0.0), float("-inf")))
    sure, value = tl.max(tl.where(entry < n_entries - 1, log_probs, float("-inf")), axis=0, return_indices=True)
    score = sure - book.to(tl.float32) * penalty
    if temperature > 0:
        score = tl.div_rn(score, tl.maximum(temperature, least)) + tl.load(noise + place)
    score = tl.where(tl.load(codes + place) == n_entries - 1, score, float("-inf"))
    tl.store(scores + place, score)
    tl.store(likeliest + place, value.to(tl.int64))


@launched
def settle_surest_kernel(tensors, sizes, BLOCK: tl.constexpr):
    """tensors: codes, scores, likeliest (B, N), counts (B, steps), step (B,); all contiguous. sizes: N, steps. Programs: sentences by
    blocks of codes, of each of which is counted how many go before it: those of a larger score, and of the same those that stand before it.
    """
    codes, scores, likeliest, counts, step = tensors
    n_codes, n_steps = sizes
    row, place = tl.program_id(0).to(tl.int64), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside, first = place < n_codes, row * n_codes
    own = tl.load(scores + first + place, mask=inside, other=0.0)[:, None]
    rank = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, n_codes, BLOCK):
        other = start + tl.arange(0, BLOCK)
        others = tl.load(scores + first + other, mask=other < n_codes, other=float("-inf"))[None, :]
        is_before = (others > own) | ((others == own) & (other[None, :] < place[:, None]))
        rank += tl.sum((is_before & (other < n_codes)[None, :]).to(tl.int32), axis=1)
    n_settled = tl.load(counts + row * n_steps + tl.load(step + row))
    is_settled = inside & (rank < n_settled)
    tl.store(codes + first + place, tl.load(likeliest + first + place, mask=is_settled, other=0), mask=is_settled)
