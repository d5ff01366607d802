"""The kernels of unmasking as operations of torch: see operations.py, and sampling/unmasking.py for what they compute."""

from collections.abc import Sequence

import torch
from torch import Tensor

from engines.kit.fused.layouts import PLAIN_SUMS, power_of_two
from engines.kit.sampling.unmasking import LEAST_TEMPERATURE

__all__ = ["frames_into_rows", "guided_scores", "settle_surest"]

RANKED_AT_ONCE = 64  # codes that a program compares with as many


@torch.library.custom_op("engines::frames_into_rows", mutates_args=("rows",))
def frames_into_rows(rows: Tensor, table: Tensor, codes: Tensor, places: Tensor) -> None:
    """Each frame of codes (B, Q, F) embedded, the sum of one entry of each book of a table (Q * V, D), at its places (B, C, F), int64, of
    rows (B, N, D). All are contiguous.
    """
    from engines.kit.fused.unmasking_kernels import frames_into_rows_kernel

    (batch, n_books, n_frames), width = codes.shape, rows.shape[2]
    with torch.cuda.device_of(rows):
        frames_into_rows_kernel[(batch * n_frames,)](
            (rows, table, codes, places),
            (n_books, n_frames, len(table) // n_books, rows.shape[1], width, places.shape[1]),
            BLOCK=power_of_two(width),
        )


@torch.library.custom_op("engines::guided_scores", mutates_args=())
def guided_scores(codes: Tensor, logits: Sequence[Tensor], table: Tensor, order_noise: Tensor) -> tuple[Tensor, Tensor]:
    """Of codes (B, Q, F), contiguous, with conditional and unconditional logits (B, Q, F, V), whose entries lie next to each other, a table
    (B, 4) of settings and noise (B, Q, F): scores (B, Q, F) float32 and likeliest values (B, Q, F) int64. See `scored`.
    """
    from engines.kit.fused.unmasking_kernels import guided_scores_kernel

    (scores, likeliest), n_entries = _made(codes), logits[0].shape[3]
    strides = [stride for one in logits for stride in one.stride()[:3]]
    with torch.cuda.device_of(codes):
        guided_scores_kernel[(codes.numel(),)](
            (codes, *logits, table, order_noise.contiguous(), scores, likeliest),
            (*codes.shape[1:], n_entries),
            (*strides, table.stride(0)),
            LEAST_TEMPERATURE,
            BLOCK=power_of_two(n_entries),
            **PLAIN_SUMS,
        )
    return scores, likeliest


@torch.library.custom_op("engines::settle_surest", mutates_args=("codes",))
def settle_surest(codes: Tensor, scores: Tensor, likeliest: Tensor, counts: Tensor, step: Tensor) -> None:
    """Of codes (B, Q, F) those of the highest scores get their likeliest values, as many as counts (B, steps) say at step (B, 1). All are
    contiguous. See `settled`.
    """
    from engines.kit.fused.unmasking_kernels import settle_surest_kernel

    n_codes = codes[0].numel()
    with torch.cuda.device_of(codes):
        settle_surest_kernel[(len(codes), -(-n_codes // RANKED_AT_ONCE))](
            (codes, scores, likeliest, counts, step), (n_codes, counts.shape[1]), BLOCK=RANKED_AT_ONCE
        )


@frames_into_rows.register_fake
def _(rows: Tensor, table: Tensor, codes: Tensor, places: Tensor) -> None:
    return None


@guided_scores.register_fake
def _(codes: Tensor, logits: Sequence[Tensor], table: Tensor, order_noise: Tensor) -> tuple[Tensor, Tensor]:
    return _made(codes)


@settle_surest.register_fake
def _(codes: Tensor, scores: Tensor, likeliest: Tensor, counts: Tensor, step: Tensor) -> None:
    return None


def _made(codes: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(codes, dtype=torch.float32), torch.empty_like(codes)
