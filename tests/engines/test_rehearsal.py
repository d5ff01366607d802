"""Every engine that computes on a GPU does its work on a fake one: nothing waits or lies on the wrong side, graphs copy nothing."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest
import torch

from engines.catalog import engine_ids, engine_info, open_engine
from engines.cosyvoice3.flow import batched_vocoder, memory_rows
from engines.cosyvoice3.flow.memory_rows import MemoryRows
from engines.cosyvoice3.speech_tokens.batched_token_decoder import TokenRows
from engines.dots import networks as dots_networks
from engines.dots.batched_decoder import DotsRows
from engines.fish_speech.batched_decoder import FishRows
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.cuda_graphs import BesideGraphs, Graphs, HostCopy
from engines.kit.gauges.fake_gpu import DEVICE, fake_gpu
from engines.kit.nn.depth_decoder import DepthDecoder
from engines.kit.nn.transformer import Decoder
from engines.kit.nn.windowed_transformer import WindowedTransformer
from engines.kit.speaker.campplus import RELEASED_CAMPPLUS
from engines.kit.weights.checkpoint import Checkpoint
from engines.omnivoice.batched_decoder import BatchedSentenceDecoder
from engines.qwen3_tts import engine as qwen3_tts_engine
from engines.qwen3_tts.batched_decoder import QwenRows
from engines.qwen3_tts.input_sequence import QwenInputSequence
from engines.voxcpm2.batched_decoder import PatchRows
from engines.voxcpm2.diffusion_head import DiffusionHead
from engines.voxtral.backbone import VoxtralBackbone
from engines.voxtral.batched_decoder import VoxtralRows
from engines.voxtral.flow_head import VoxtralFlowHead
from studio.measure.engines import drawn_speech
from studio.measure.engines.rehearsal import Rehearsal, RehearsalFailed, rehearse
from studio.measure.engines.sentence_rehearsal import SentenceRehearsal
from studio.measure.engines.width_rehearsal import rehearse_width
from tests.engines.cosyvoice3.random_checkpoint import write_checkpoint as write_cosyvoice3
from tests.engines.cosyvoice3.tiny_checkpoint import tiny as tiny_cosyvoice3
from tests.engines.dots import tensors as dots_tensors
from tests.engines.dots.random_checkpoint import write_checkpoint as write_dots
from tests.engines.dots.tiny_checkpoint import tiny as tiny_dots
from tests.engines.fish_speech.random_checkpoint import write_language_model as write_fish_speech
from tests.engines.fish_speech.random_codec import write_codec as write_fish_speech_codec
from tests.engines.fish_speech.tiny_checkpoint import tiny as tiny_fish_speech
from tests.engines.mutated import mutated
from tests.engines.omnivoice.tiny_checkpoint import write_tiny_checkpoint as write_omnivoice
from tests.engines.qwen3_tts.checkpoints.random_checkpoint import write_checkpoint as write_qwen3_tts
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import FEW_CODEBOOKS
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import tiny as tiny_qwen3_tts
from tests.engines.subjects import KINDS
from tests.engines.toys.shallow import shallow, shallow_checkpoint
from tests.engines.voxcpm2.random_checkpoint import write_checkpoint as write_voxcpm2
from tests.engines.voxcpm2.tiny_checkpoint import tiny as tiny_voxcpm2
from tests.engines.voxtral.tiny_checkpoint import write_tiny_checkpoint as write_voxtral
from tests.stand_ins.kept_folder import kept_folder

ON_THE_CPU_ALONE = {"espeak", "kokoro", "pocket_tts"}
FEW_SIZES = {  # one of a kind is rehearsed as well as seven
    QwenRows: {"KEY_SIZES": (512,), "ROW_SIZES": (32, 128), "PIECE_SIZES": (8, 1)},
    PatchRows: {"KEY_SIZES": (), "ROW_SIZES": (64,)},
    DotsRows: {"KEY_SIZES": (512,), "ROW_SIZES": (128,), "PATCH_SIZES": (256,)},
    FishRows: {"KEY_SIZES": (512,), "ROW_SIZES": (128,), "PIECE_SIZES": (8, 1)},
    VoxtralRows: {"KEY_SIZES": (512,), "ROW_SIZES": (128,), "PIECE_SIZES": (8, 1)},
    dots_networks: {"RELEASED_CAMPPLUS": replace(RELEASED_CAMPPLUS, layers=(1, 1, 1))},
    dots_tensors: {"SEGMENTS": tuple((1, dilation) for _, dilation in dots_tensors.SEGMENTS)},
    BatchedSentenceDecoder: {"ROW_SIZES": (320, 512), "MOST_LOOP_ROWS": 320, "LOOP_STEPS": (4,)},
    drawn_speech: {"UNGUARDED": drawn_speech.UNGUARDED | {"num_step": 4}},  # of a sentence
    TokenRows: {"KEY_SIZES": (512,), "ROW_SIZES": (128,), "PROMPT_KEYS": 512},
    memory_rows: {"KEY_FRAMES": (1024,), "CHUNKS_AT_ONCE": (1,), "ROWS_AT_ONCE": (1, 2)},
    batched_vocoder: {"PIECE_FRAMES": (20, 1)},
}


def write_shallow_qwen3_tts(folder: Path) -> Path:
    return write_qwen3_tts(folder, shallow_checkpoint(tiny_qwen3_tts(ends_with_text=True, n_codebooks=FEW_CODEBOOKS), 1))


def write_shallow_voxcpm2(folder: Path) -> Path:
    return write_voxcpm2(folder, shallow_checkpoint(tiny_voxcpm2(), 1))


def write_shallow_dots(folder: Path) -> Path:
    return write_dots(folder, shallow_checkpoint(tiny_dots(), 1))


def write_shallow_fish_speech(folder: Path) -> Path:
    write_fish_speech_codec(write_fish_speech(folder, shallow_checkpoint(tiny_fish_speech(), 1)))
    return folder


def write_shallow_cosyvoice3(folder: Path) -> Path:
    """A layer or a block of each kind: every step of the flow, and every piece of sound, goes through all of them."""
    checkpoint = tiny_cosyvoice3()
    blocks = {"depth": 1, "resblock_kernel_sizes": [3], "resblock_dilation_sizes": [[3]], "source_resblock_dilation_sizes": [[3]] * 3}
    return write_cosyvoice3(folder, replace(checkpoint, file=checkpoint.file | blocks, language=shallow(checkpoint.language)))


# engine -> its checkpoint of as few layers as there are, since each of them is rehearsed anew
WRITTEN: dict[str, Callable[[Path], Path]] = {
    "qwen3_tts": write_shallow_qwen3_tts,
    "voxcpm2": write_shallow_voxcpm2,
    "dots": write_shallow_dots,
    "fish_speech": write_shallow_fish_speech,
    "omnivoice": partial(write_omnivoice, shape="sparse"),
    "cosyvoice3": write_shallow_cosyvoice3,
    "voxtral": partial(write_voxtral, encoder=True),
}


@cache
def folder_of(engine: str) -> Path:
    """Written once per process, while tensors are real, and only read."""
    return WRITTEN[engine](kept_folder())


def rehearsed(engine: str, **settings) -> Rehearsal | SentenceRehearsal:
    """With the codec beside the next frame where the engine can do it, which is in more danger than in order."""
    folder = folder_of(engine)
    options = {"codec_beside": True} if any(option.name == "codec_beside" for option in engine_info(engine).load_options) else {}
    return rehearse(lambda: open_engine(engine, checkpoint=str(folder), device=DEVICE, options=options), **settings)


WIDE = {"qwen3_tts", "voxcpm2", "fish_speech", "voxtral"}  # where 80 GB are free
FRAME_SECONDS = {"qwen3_tts": 0.08, "voxcpm2": 0.16, "dots": 0.16, "fish_speech": 2048 / 44_100, "voxtral": 0.08}

# What only a GPU would show: where, and what becomes of a line there.
MUTATIONS = {
    "a number of the device is wanted inside of a graph": (
        QwenRows, "_talk", "        self._sample_first()",
        "        if int(self._position[0, 0]) < 0: return\n        self._sample_first()",
    ),
    "a table is made on the host": (QwenRows, "__init__", "torch.arange(n_ids, device=device)", "torch.arange(n_ids)"),
    "the mask is made on the host": (Decoder, "step", "torch.arange(n_keys, device=positions.device)", "torch.arange(n_keys)"),
    "a graph copies numbers of the host": (
        DepthDecoder, "_frame_steps", "torch.arange(self.n_codebooks, device=device)",
        "torch.tensor(list(range(self.n_codebooks)), device=device)",
    ),
    "sampling branches on what was drawn": (
        QwenRows, "_sample", "        return ", "        if not logits.isfinite().any(): return self._code\n        return ",
    ),
    "the codec counts positions on the host": (
        WindowedTransformer, "_step", "torch.arange(-past, n_rows, device=hidden_states.device)", "torch.arange(-past, n_rows)",
    ),
    "a spectrum stays on the host": (qwen3_tts_engine, "embedding_of", ".to(networks.device)", ""),
    "tokens of text stay on the host": (QwenInputSequence, "_text", ", device=self._device", ""),
    "the noise counts on the host": (
        PatchRows, "__init__", "torch.arange(config.patch_size * config.feat_dim, device=device)",
        "torch.arange(config.patch_size * config.feat_dim)",
    ),
    "times of the diffusion are brought to the device by every graph": (
        DiffusionHead, "schedule", "if n_steps not in self._times:", "if True:",
    ),
    "the end of speech is asked for within a step": (
        PatchRows, "_step", "        torch.where(self._active[:, 0], is_last",
        "        if bool(is_last[0]): return\n        torch.where(self._active[:, 0], is_last",
    ),
    "positions of the noise lie on the host": (
        FishRows, "__init__", "torch.arange(slow.n_semantic + 1, device=device)", "torch.arange(slow.n_semantic + 1)",
    ),
    "only what is repeated is drawn again": (
        FishRows, "_sample_first", "        codes = ", "        if not is_repeated.any(): return\n        codes = ",
    ),
    "books are counted on the host": (
        BatchedSentenceDecoder, "__init__", "torch.arange(self._backbone.n_codebooks, device=networks.device)",
        "torch.arange(self._backbone.n_codebooks)",
    ),
    "a step asks whether anything is open": (
        BatchedSentenceDecoder, "_step", "        state.step.add_(",
        "        if not (state.codes == backbone.mask_id).any(): return\n        state.step.add_(",
    ),
    "every step of a loop is told its number": (
        BatchedSentenceDecoder, "_steps", "            self._step(state, same=same)",
        "            state.step.copy_(torch.tensor([[_]], device=state.step.device))\n            self._step(state, same=same)",
    ),
    "the host waits for every step": (
        BatchedSentenceDecoder, "step", "        for index, one in enumerate(sentences):",
        "        state.step.max().item()\n        for index, one in enumerate(sentences):",
    ),
    "draws are counted on the host": (
        TokenRows, "__init__", "torch.arange(N_DRAWS, device=self._active.device)", "torch.arange(N_DRAWS)",
    ),
    "a token is drawn again only where one is": (
        TokenRows, "_sample_first", "        moved_on = ", "        if (tokens < 0).any(): return\n        moved_on = ",
    ),
    "frames of a chunk are counted on the host": (
        MemoryRows, "_step", "torch.arange(n_frames, device=starts.device)", "torch.arange(n_frames)",
    ),
    "a chunk is made for those who want one alone": (
        MemoryRows, "_step", "        self._mel[:n_rows", "        if not counts.any(): return\n        self._mel[:n_rows",
    ),
    "rows of books are found on the host": (
        VoxtralBackbone, "prepare_weights", "torch.tensor(self._first_rows_of_books, device=self.codebook_embeddings.weight.device)",
        "torch.tensor(self._first_rows_of_books)",
    ),
    "a flow is followed only where it moves": (
        VoxtralFlowHead, "acoustic", "        return ", "        if not levels.any(): return levels.long()\n        return ",
    ),
    "numbers of a frame's noise are on the host": (
        VoxtralRows, "__init__", "torch.arange(flow.n_acoustic, device=networks.device)", "torch.arange(flow.n_acoustic)",
    ),
    "the host waits for every frame": (
        BatchedDecoder, "step", "        going_on = ", "        self.rows._ended.any().item()\n        going_on = ",
    ),
}  # fmt: skip

OF_ONE_ENGINE = {
    PatchRows: "voxcpm2",
    DiffusionHead: "voxcpm2",
    FishRows: "fish_speech",
    VoxtralBackbone: "voxtral",
    VoxtralFlowHead: "voxtral",
    VoxtralRows: "voxtral",
    BatchedSentenceDecoder: "omnivoice",
    TokenRows: "cosyvoice3",
    MemoryRows: "cosyvoice3",
}  # the others are in all of them


@pytest.fixture
def few_sizes(monkeypatch) -> None:
    for batched_decoder, few in FEW_SIZES.items():
        for name, sizes in few.items():
            monkeypatch.setattr(batched_decoder, name, sizes)


def test_every_engine_of_the_catalog_is_rehearsed_or_wants_no_gpu():
    assert {KINDS.get(name, name) for name in engine_ids()} == set(WRITTEN) | ON_THE_CPU_ALONE


@pytest.mark.parametrize("engine", FRAME_SECONDS)
def test_the_whole_work_is_done_on_a_fake_gpu(engine, few_sizes):
    figures = rehearsed(engine)
    assert figures.copies_in_capture == 0
    assert figures.kernels_per_frame > 0
    assert (figures.streams, figures.frame_seconds) == (16 if engine in WIDE else 8, FRAME_SECONDS[engine])
    assert figures.bytes_per_frame > 0, "which of a toy may be less than a hundredth of a millisecond"
    for device, (memory, least, most) in figures.first_audio_milliseconds.items():
        assert 0 <= memory < least < most
        assert least > figures.milliseconds[device][1], "the text is read, and the first frame is made"
    assert figures.launches_outside_per_frame <= 5, "graphs, and what the host asks for: talker, predictor, a word of the end, the codec"


def test_more_rows_cost_kernels_of_the_codec_alone_and_memory(few_sizes):
    folder = folder_of("qwen3_tts")
    few, many = (
        rehearse_width(lambda width=width: open_engine("qwen3_tts", checkpoint=str(folder), device=DEVICE, options={"width": width}))
        for width in (1, 4)
    )
    assert (few.width, many.width, few.frame_seconds, many.frame_seconds) == (1, 4, 0.08, 0.08)
    assert few.kernels < many.kernels < 4 * few.kernels
    assert few.held_bytes < many.held_bytes
    assert few.first_beside == few.first_alone, "beside nobody"
    assert many.first_beside["h100"][1] > many.first_alone["h100"][1]
    with pytest.raises(ValueError, match="by the sentence"):
        rehearse_width(lambda: open_engine("omnivoice", checkpoint=str(folder_of("omnivoice")), device=DEVICE))


def test_the_whole_work_of_sentences_is_done_on_a_fake_gpu(few_sizes):
    """The first piece by one graph of all its steps, later ones step by step, and so two first ones at once, in steps that they share."""
    figures = rehearsed("omnivoice")
    assert figures.copies_in_capture == 0
    assert figures.streams == 4
    assert figures.launches_outside_per_step == 2, "a graph, and a mark that says when it is done"
    assert figures.first_audio.replays == {"loop 4 320": 1, "first block": 1}
    assert figures.speech.replays == {"loop 4 320": 1, "step 1 512": 4, "first block": 2}
    assert figures.shared_steps == {"step 2 320": 4, "first block": 2}
    assert 0 < figures.first_audio.seconds < figures.speech.seconds
    times = [figures.first_audio.milliseconds, figures.speech.milliseconds, *figures.graph_milliseconds.values()]
    assert all(0 < roofline < least < most for each in times for roofline, least, most in each.values())
    assert figures.first_audio.flops.keys() == {"bfloat16", "float32"}, "of the backbone, and of the codec"


def test_the_whole_work_of_chunks_is_done_on_a_fake_gpu(few_sizes):
    """Thirteen tokens, the chunk that they end, its sound; two streams at once share the steps of both networks."""
    figures = rehearsed("cosyvoice3")
    assert figures.copies_in_capture == 0
    assert figures.streams == 8
    assert figures.launches_outside_per_step == 2, "a graph, and a token that ends the speech or does not"
    replays = figures.first_audio.replays
    assert (replays["step 512"], replays["mel 1 1 1024"], replays["begin 20"]) == (12, 1, 1)
    assert figures.shared_steps["step 512"] == 12
    assert figures.shared_steps["mel 2 1 1024"] == 1
    times = [figures.first_audio.milliseconds, figures.speech.milliseconds, *figures.graph_milliseconds.values()]
    assert all(0 <= roofline < least <= most for each in times for roofline, least, most in each.values())


@pytest.mark.parametrize("broken", MUTATIONS)
def test_what_only_a_gpu_would_show_is_noticed(broken, few_sizes, monkeypatch):
    owner, name, old, new = MUTATIONS[broken]
    monkeypatch.setattr(owner, name, mutated(owner, name, old, new))
    with pytest.raises(RehearsalFailed):
        rehearsed(OF_ONE_ENGINE.get(owner, "qwen3_tts"), watches_order=False)


def test_work_that_is_not_in_order_fails_the_rehearsal(few_sizes, monkeypatch):
    monkeypatch.setattr(BesideGraphs, "after", mutated(BesideGraphs, "after", "self._own_side.wait_event(done)", "pass"))
    with pytest.raises(RehearsalFailed, match=r"first='clone kit/decode/.*second='copy kit/decode/codec_pieces.py"):
        rehearsed("qwen3_tts")


def test_the_fake_gpu_is_gone_afterwards():
    saved = torch.from_numpy, torch.tensor, torch.Tensor.numpy, torch.cuda.is_available, torch.nn.Module._apply
    ours = [dict(vars(owner)) for owner in (Checkpoint, Graphs, HostCopy)]
    with pytest.raises(ZeroDivisionError), fake_gpu():
        assert torch.cuda.is_available()
        raise ZeroDivisionError
    assert (torch.from_numpy, torch.tensor, torch.Tensor.numpy, torch.cuda.is_available, torch.nn.Module._apply) == saved
    assert [dict(vars(owner)) for owner in (Checkpoint, Graphs, HostCopy)] == ours
    assert HostCopy(torch.ones(1)).wait().tolist() == [1.0]
