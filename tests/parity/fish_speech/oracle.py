"""The reference arithmetic of the two transformers of Fish Audio S2 Pro in plain torch: prompt, embedding, layers, sampling, loop.

Written from descriptions and formulas alone, one obvious line per statement; it knows nothing of `engines`, and no speed was sought. Where
vllm-omni 0.30.0 (Apache-2.0, models/fish_speech) has the same, official_transformers.py compares.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors import safe_open
from tokenizers import Tokenizer
from torch import Tensor

__all__ = [
    "GREEDY",
    "Draw",
    "Oracle",
    "Race",
    "Reference",
    "Settings",
    "Trace",
    "drawn",
    "drawn_aware",
    "prompt_parts",
    "respelled",
    "tempered",
]

PLAIN = "convert the provided text to speech"
RESEMBLING = "convert the provided text to speech reference to the following:\n\nText:\n"
SPEAKER = re.compile(r"<\|speaker:\d+\|>")
OLD_SPEAKER = re.compile(r"<speaker:(\d+)>")
NO_FRAMES = (None,) * 10  # what repetition-aware sampling looks back at, before any
REPEATED = (1.0, 0.9)  # temperature and top_p of its second draw

Race = Callable[[int, int, int], Tensor]  # (frame, draw, V) -> (V,) positive numbers, those of an exponential race; see Draw
Reference = tuple[str, Tensor]  # words, codes (Q, F)


class Draw:
    """Numbers of a frame's draws: book 0, its second draw where it repeats, and book b as BOOK + b."""

    FIRST, SECOND, BOOK = 0, 1, 1


@dataclass(frozen=True)
class Settings:
    """Of sampling, and how many tokens are drawn at most. Greedy: top_k 1."""

    temperature: float = 0.8
    top_p: float = 0.8
    top_k: int = 1
    max_new_tokens: int = 6


GREEDY = Settings()


@dataclass
class Trace:
    """What went through the transformers in one speech.

    ids: (T,) of the prompt. rows: (T, D), its embedding. hidden: (T, D), its last states, normed. logits: (V + 1,) per token drawn, of
    the semantic ids and of the end. residual_logits: (9, W) per frame. codes: (Q,) per frame drawn, the dropped one too. states: (D,),
    what each was drawn from. ended: whether the end was drawn. second_draws: frames whose first draw repeated. margins: of each choice.
    """

    ids: list[int] = field(default_factory=list)
    rows: Tensor | None = None
    hidden: Tensor | None = None
    logits: list[Tensor] = field(default_factory=list)
    residual_logits: list[Tensor] = field(default_factory=list)
    codes: list[Tensor] = field(default_factory=list)
    states: list[Tensor] = field(default_factory=list)
    ended: bool = False
    second_draws: list[int] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)

    @property
    def spoken(self) -> Tensor:
        """(Q, N): the last frame of a sequence is dropped, whichever way it ended."""
        return torch.stack(self.codes if self.ended else self.codes[:-1], dim=1)


def prompt_parts(text: str, references: Sequence[str] = ()) -> list[str | None]:
    """What is tokenized, part by part; None where the codes of all references stand."""
    tail = ["<|im_end|>\n", "<|im_start|>user\n", respelled(text), "<|im_end|>\n", "<|im_start|>assistant\n<|voice|>"]
    if not references:
        return ["<|im_start|>system\n", PLAIN, *tail]
    words = map(respelled, references)
    tagged = "\n".join(one if SPEAKER.search(one) else f"<|speaker:{i}|>{one}" for i, one in enumerate(words))
    return ["<|im_start|>system\n", RESEMBLING, tagged, "\n\nSpeech:\n", None, *tail]


def respelled(text: str) -> str:
    """Tags of speakers in the one spelling that is told from other text."""
    return OLD_SPEAKER.sub(r"<|speaker:\1|>", text)


def tempered(logits: Tensor, temperature: float, top_p: float, top_k: int) -> Tensor:
    """Probabilities (V,) of a draw from logits (V,), zero for what is dropped.

    The nucleus is of the untempered logits: what the cumulative probability, its own included, exceeds top_p with is dropped, and so is
    every rank from top_k on; rank 0 stays. Only then comes the temperature.
    """
    ranked, order = logits.sort(descending=True)
    dropped = (ranked.softmax(dim=-1).cumsum(dim=-1) > top_p) | (torch.arange(len(logits)) >= top_k)
    dropped[0] = False
    kept = logits.clone()
    kept[order[dropped]] = -math.inf
    return (kept / max(temperature, 1e-5)).softmax(dim=-1)


def drawn(logits: Tensor, race: Tensor | None, settings: Settings) -> tuple[int, float]:
    """argmax(p / race) of logits (V,), without a race the likeliest; and the margin.

    margin: by how much the logarithm was larger than the next, or, if that is less, how far from each other kept and dropped ones are.
    """
    scores = logits.float()
    if race is not None:
        left = tempered(logits, settings.temperature, settings.top_p, settings.top_k)
        scores = (left / race).log()
    best = scores.topk(2)
    margin = float(best.values[0] - best.values[1])
    return int(best.indices[0]), margin if race is None else min(margin, _edge(logits, settings))


def _edge(logits: Tensor, settings: Settings) -> float:
    """How near another rounding is to keeping other codes."""
    ranked = logits.sort(descending=True).values
    nucleus = (ranked.softmax(dim=-1).cumsum(dim=-1)[: settings.top_k] - settings.top_p).abs().min()
    rank = ranked[settings.top_k - 1] - ranked[settings.top_k] if settings.top_k < len(ranked) else math.inf
    return min(float(nucleus) if settings.top_p < 1 else math.inf, float(rank))


def drawn_aware(logits: Tensor, first: Tensor, second: Tensor, settings: Settings, window: Collection[int]) -> tuple[int, float, bool]:
    """The same with repetition-aware sampling: what the window holds is drawn once more, at other settings, and stays as it comes.

    The last of the logits is the end's, which repeats nothing.
    returns: the code, the least margin, whether it was drawn twice.
    """
    code, margin = drawn(logits, first, settings)
    if code == len(logits) - 1 or code not in window:
        return code, margin, False
    code, other = drawn(logits, second, replace(settings, temperature=REPEATED[0], top_p=REPEATED[1]))
    return code, min(margin, other), True


def looked_back(window: Sequence[int | None], frame: int, code: int) -> tuple[int | None, ...]:
    """The window behind a frame. The first one is drawn where the prompt is read, before there is a window, and never gets into it."""
    return (*window[1:], code) if frame else tuple(window)


class Oracle:
    """A checkpoint folder, on the CPU.

    residual_size: codes of books 1 to 9, of which alone may be chosen; the head is as wide as book 0 (vllm-omni cuts it at 1024).
    dtype: of the weights and of all that is computed with them.
    """

    def __init__(self, folder: Path, residual_size: int, dtype: torch.dtype = torch.float32):
        self.residual_size = residual_size
        self.config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tensors = {}
        for file in sorted(folder.glob("*.safetensors")):
            with safe_open(file, "pt") as opened:
                tensors |= {name: opened.get_tensor(name).to(dtype) for name in opened.keys()}  # noqa: SIM118
        self.first_semantic, self.last_semantic = self.config["semantic_start_token_id"], self.config["semantic_end_token_id"]
        self.end = self.config["eos_token_id"]
        self.slow = _Transformer(tensors, "text_model.model.", self.config["text_config"])
        self.fast = _Transformer(tensors, "audio_decoder.", self.config["audio_decoder_config"])
        self.embeddings = tensors["text_model.model.embeddings.weight"]
        self.codebooks = tensors["audio_decoder.codebook_embeddings.weight"]
        self.fast_embeddings = tensors["audio_decoder.embeddings.weight"]
        self.fast_output = tensors["audio_decoder.output.weight"]
        self.n_codebooks = self.config["audio_decoder_config"]["num_codebooks"]
        self.codebook_size = len(self.codebooks) // self.n_codebooks

    def ids(self, text: str) -> list[int]:
        """Tokens of a part; the special ones of the file are found in it."""
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def prompt(self, text: str, references: Sequence[Reference] = ()) -> tuple[list[int], Tensor]:
        """Ids (T,) and rows (T, D)."""
        codes = torch.cat([codes for _, codes in references], dim=1) if references else torch.zeros(self.n_codebooks, 0, dtype=torch.int64)
        ids, frames = [], [None]
        for part in prompt_parts(text, [words for words, _ in references]):
            more = [self.first_semantic + int(code) for code in codes[0]] if part is None else self.ids(part)
            frames += range(codes.shape[1]) if part is None else [None] * len(more)
            ids += more
        rows = [self.row(token, None if frame is None else codes[:, frame]) for token, frame in zip(ids, frames[1:], strict=True)]
        return ids, torch.stack(rows)

    def row(self, token: int, codes: Tensor | None) -> Tensor:
        """(D,): a token embedded, and where it is a frame (Q,) all of its codes: their sum, over the root of the number of summands.

        As `_apply_codebook_embeddings` and `talker_mtp` of vllm-omni's slow transformer.
        """
        embedded = self.embeddings[token]
        if codes is None:
            return embedded
        of_books = self.codebooks[codes + torch.arange(self.n_codebooks) * self.codebook_size].sum(dim=0)
        return (embedded + of_books) / math.sqrt(self.n_codebooks + 1)

    @torch.inference_mode()
    def speak(
        self, text: str, references: Sequence[Reference] = (), settings: Settings = GREEDY, race: Race | None = None, *, forced=None
    ) -> Trace:  # fmt: skip
        """Greedy without a race. forced: codes (Q, N) that are fed back in place of those that were drawn."""
        trace, window = Trace(), NO_FRAMES
        trace.ids, trace.rows = self.prompt(text, references)
        cache = self.slow.cache()
        trace.hidden = self.slow(trace.rows, cache)
        hidden = trace.hidden[-1]
        for frame in range(settings.max_new_tokens):
            numbers = None if race is None else lambda draw, n_codes, frame=frame: race(frame, draw, n_codes)
            code = self._semantic(hidden, window, settings, numbers, trace)
            if code > self.last_semantic - self.first_semantic:
                trace.ended = True
                break
            codes = self._residual(hidden, code, settings, numbers, trace)
            window = looked_back(window, frame, int(codes[0]))
            fed = codes if forced is None else forced[:, frame]
            hidden = self.slow(self.row(self.first_semantic + int(fed[0]), fed)[None], cache)[-1]
        return trace

    def _semantic(self, hidden: Tensor, window: Collection[int], settings: Settings, numbers: Callable | None, trace: Trace) -> int:
        """Only semantic ids and the end can be drawn; the end is counted as the code behind the last."""
        logits = torch.cat([self.embeddings[self.first_semantic : self.last_semantic + 1], self.embeddings[self.end][None]]) @ hidden
        trace.logits.append(logits)
        if numbers is None:
            code, margin = drawn(logits, None, settings)
        else:
            code, margin, twice = drawn_aware(logits, numbers(Draw.FIRST, len(logits)), numbers(Draw.SECOND, len(logits)), settings, window)
            trace.second_draws += [len(trace.codes)] * twice
        trace.margins.append(margin)
        return code

    def _residual(self, hidden: Tensor, code: int, settings: Settings, numbers: Callable | None, trace: Trace) -> Tensor:
        """(Q,): the normed state of the slow transformer is read first, then code after code."""
        cache, codes, all_logits = self.fast.cache(), [code], []
        self.fast(hidden[None], cache)
        for book in range(1, self.n_codebooks):
            state = self.fast(self.fast_embeddings[codes[-1]][None], cache)[-1]
            all_logits.append((self.fast_output @ state)[: self.residual_size])
            code, margin = drawn(all_logits[-1], numbers and numbers(Draw.BOOK + book, self.residual_size), settings)
            codes.append(code)
            trace.margins.append(margin)
        trace.residual_logits.append(torch.stack(all_logits))
        trace.codes.append(torch.tensor(codes))
        trace.states.append(hidden)
        return trace.codes[-1]


class _Transformer:
    """Layers of grouped-query attention and gated networks over a growing cache; hidden states come normed."""

    def __init__(self, tensors: dict[str, Tensor], prefix: str, config: dict):
        self.config = config
        self.layers = [
            {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}
            for start in (f"{prefix}layers.{i}." for i in range(config["n_layer"]))
        ]
        self.last_norm = tensors[f"{prefix}norm.weight"]

    def cache(self) -> list[tuple[Tensor, Tensor] | None]:
        return [None] * len(self.layers)

    def __call__(self, rows: Tensor, cache: list) -> Tensor:
        """(T, D) behind what the cache holds."""
        for i, layer in enumerate(self.layers):
            attended, cache[i] = self._attention(layer, self.norm(rows, layer["attention_norm.weight"]), cache[i])
            rows = rows + attended
            normed = self.norm(rows, layer["ffn_norm.weight"])
            gate, up = normed @ layer["feed_forward.w1.weight"].T, normed @ layer["feed_forward.w3.weight"].T
            rows = rows + (F.silu(gate) * up) @ layer["feed_forward.w2.weight"].T
        return self.norm(rows, self.last_norm)

    def _attention(self, layer: dict[str, Tensor], rows: Tensor, past: tuple | None) -> tuple[Tensor, tuple]:
        heads, groups, width = self.config["n_head"], self.config["n_local_heads"], self.config["head_dim"]
        q, k, v = (rows @ layer["attention.wqkv.weight"].T).split([heads * width, groups * width, groups * width], dim=-1)
        q, k, v = (part.view(len(rows), -1, width) for part in (q, k, v))
        if self.config["attention_qk_norm"]:
            q, k = self.norm(q, layer["attention.q_norm.weight"]), self.norm(k, layer["attention.k_norm.weight"])
        seen = 0 if past is None else past[0].shape[1]
        q, k, v = (part.transpose(0, 1) for part in (self.turned(q, seen), self.turned(k, seen), v))
        if past is not None:
            k, v = torch.cat([past[0], k], dim=1), torch.cat([past[1], v], dim=1)
        later = torch.arange(k.shape[1]) > torch.arange(k.shape[1] - len(rows), k.shape[1])[:, None]
        spread = (part.repeat_interleave(heads // groups, dim=0) for part in (k, v))
        attended = F.scaled_dot_product_attention(q, *spread, attn_mask=~later)
        return attended.transpose(0, 1).reshape(len(rows), -1) @ layer["attention.wo.weight"].T, (k, v)

    def norm(self, rows: Tensor, weight: Tensor) -> Tensor:
        """Normed in float32, rounded, then scaled."""
        wide = rows.float()
        return (wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.config["norm_eps"])).to(rows.dtype) * weight

    def turned(self, heads: Tensor, first: int) -> Tensor:
        """(T, H, width), at positions first, first + 1, ..., turned by neighboring channels, in float32.

        Cosines and sines are rounded to bfloat16 whatever the dtype, as vllm-omni rounds those of both transformers after loading.
        """
        frequencies = 1.0 / self.config["rope_base"] ** (torch.arange(0, heads.shape[-1], 2).float() / heads.shape[-1])
        angles = torch.outer(torch.arange(first, first + len(heads)).float(), frequencies)[:, None]
        cos, sin = angles.cos().bfloat16().float(), angles.sin().bfloat16().float()
        even, odd = heads.float().unflatten(-1, (-1, 2)).unbind(-1)
        return torch.stack([even * cos - odd * sin, odd * cos + even * sin], dim=-1).flatten(-2).to(heads.dtype)
