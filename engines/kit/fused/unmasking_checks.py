"""Checks of unmasking_operations.py beside the plain formulas, in float32, as logits are."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch

from engines.kit.fused import unmasking_operations
from engines.kit.fused.fused_use import Case, Check, FusedUse
from engines.kit.sampling.unmasking import UnmaskingTensors, guided, scored, surest_settled

__all__ = ["UNMASKING_CHECKS"]

BOOKS, FRAMES, ENTRIES = 4, 37, 50  # more codes than a program ranks at once
SETTINGS = ((2.0, 5.0, 5.0, 0.0), (0.5, 0.3, 0.0, 0.0))  # of two sentences, see UnmaskingTensors


def _check_frames_into_rows(use: FusedUse) -> Iterator[Case]:
    """Two sentences, of whose rows some are no frame's."""
    batch, width = len(SETTINGS), use.attention.hidden_size
    rows, table = use.drawn(batch, 2 * FRAMES + 3, width), use.drawn(BOOKS * ENTRIES, width, seed=1)
    codes = torch.arange(batch * BOOKS * FRAMES, device=use.device).view(batch, BOOKS, FRAMES) * 7 % ENTRIES
    starts = torch.tensor([[0, FRAMES + 2], [1, FRAMES + 3]], device=use.device)
    places = starts[..., None] + torch.arange(FRAMES, device=use.device)
    first_entries = torch.arange(BOOKS, device=use.device)[:, None] * ENTRIES
    frames, at = table[codes + first_entries].sum(1), places.flatten(1)[..., None].expand(-1, -1, width)
    plain = rows.scatter(1, at, frames.repeat(1, 2, 1))
    unmasking_operations.frames_into_rows(rows, table, codes, places)
    yield rows, plain


def _check_guided_scores(use: FusedUse) -> Iterator[Case]:
    """Logits as a head of all books gives them, those of both branches one behind the other; some codes are settled."""
    use, batch, mask_id = replace(use, dtype=torch.float32), len(SETTINGS), ENTRIES - 1
    logits = 3 * use.drawn(batch, 2 * FRAMES, BOOKS, ENTRIES).transpose(1, 2)
    logits[..., mask_id] += 20
    (conditional, unconditional), table = logits.chunk(2, dim=2), torch.tensor(SETTINGS, device=use.device)
    noise, codes = use.drawn(batch, BOOKS, FRAMES, seed=1), torch.full((batch, BOOKS, FRAMES), mask_id, device=use.device)
    codes[:, 1:, ::3] = 5
    settings = UnmaskingTensors.of(table)
    scores, likeliest = unmasking_operations.guided_scores(codes, [conditional, unconditional], table, noise)
    plain, plainly_likeliest = scored(codes, guided(conditional, unconditional, settings.guidance_scale), settings, noise)
    yield scores.isinf(), plain.isinf()
    yield scores.nan_to_num(neginf=0.0), plain.nan_to_num(neginf=0.0)
    yield likeliest, plainly_likeliest


def _check_settle_surest(use: FusedUse) -> Iterator[Case]:
    """Scores of which several are equal, and some of none that is open."""
    batch = len(SETTINGS)
    scores = replace(use, dtype=torch.float32).drawn(batch, BOOKS, FRAMES).mul(4).round()
    scores[:, :, 30:] = -torch.inf
    numbers = torch.arange(scores.numel(), device=use.device).view(scores.shape)
    counts, step = torch.tensor([[3, 0, 70], [1, 90, 5]], device=use.device), torch.tensor([[2], [1]], device=use.device)
    codes = -1 - numbers
    plain = surest_settled(codes, scores, numbers, counts.gather(1, step))
    unmasking_operations.settle_surest(codes, scores, numbers, counts, step)
    yield codes, plain


UNMASKING_CHECKS: Mapping[str, Check] = {
    "frames_into_rows": _check_frames_into_rows,
    "guided_scores": _check_guided_scores,
    "settle_surest": _check_settle_surest,
}
