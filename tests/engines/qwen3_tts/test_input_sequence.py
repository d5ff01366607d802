"""Prompt rows: their number, what each is the sum of, and which of them no text can change."""

import pytest
import torch

from engines.qwen3_tts.input_sequence import Reference, TextRows
from tests.engines.qwen3_tts.checkpoints.networks import Networks, tiny_networks

HEADER, TAGS, AUTO_TAGS = 3, 4, 3  # rows of the turn's header, of the codec tags with a language and without
N_FRAMES = 12


@pytest.fixture(params=[True, False], ids=["projection", "no projection"])
def networks(request) -> Networks:
    return tiny_networks(projection=request.param)


def reference(networks: Networks, words: str | None, n_frames: int = N_FRAMES) -> Reference:
    generator = torch.Generator().manual_seed(0)
    embedding = torch.randn(networks.config.talker.hidden_size, generator=generator)
    if words is None:
        return Reference(embedding)
    codes = torch.randint(0, 2048, (n_frames, 16), generator=generator)
    return Reference(embedding, networks.rows.code_rows(codes), networks.tokenizer.body(words))


def english(networks: Networks) -> int:
    return networks.config.talker.codec_language_id["english"]


def text(networks: Networks, ids: list[int]) -> torch.Tensor:
    return networks.talker.embed_text(torch.tensor([ids]))[0]


def code(networks: Networks, name: str) -> torch.Tensor:
    return networks.talker.embed_codes(torch.tensor([getattr(networks.config.talker, name)]))[0]


def test_a_frames_row_is_the_sum_of_its_sixteen_codes_behind_the_beginning_of_speech(networks):
    codes = torch.tensor([list(range(16)), [7] * 16])
    rows = networks.rows.code_rows(codes)[0]
    codebooks = [networks.talker.codec_embedding.weight, *(table.weight for table in networks.predictor.codec_embedding)]
    assert torch.equal(rows[0], code(networks, "codec_bos_id"))
    for row, frame in zip(rows[1:], codes, strict=True):
        assert torch.allclose(row, sum(codebook[index] for codebook, index in zip(codebooks, frame, strict=True)))


def test_the_fixed_rows_are_header_tags_speaker_and_beginning_of_text(networks):
    embedding = reference(networks, None).embedding
    rows = networks.rows.shared(Reference(embedding), english(networks), full_text=False)[0]
    assert len(rows) == HEADER + TAGS + 2
    padding, config = networks.rows.padding[0, 0], networks.config
    assert torch.allclose(rows[:3], text(networks, networks.tokenizer.header(config.im_start_token_id)))
    tags = ["codec_think_id", "codec_think_bos_id", None, "codec_think_eos_id"]
    for row, name in zip(rows[3:7], tags, strict=True):
        tag = code(networks, name) if name else networks.talker.embed_codes(torch.tensor(english(networks)))
        assert torch.allclose(row, padding + tag)
    assert torch.allclose(rows[7], padding + embedding)
    assert torch.allclose(rows[8], text(networks, [config.tts_bos_token_id])[0] + code(networks, "codec_pad_id"))


def test_without_a_language_there_is_one_tag_less_and_it_says_so(networks):
    rows = networks.rows.shared(reference(networks, None), None, full_text=False)[0]
    assert len(rows) == HEADER + AUTO_TAGS + 2
    assert torch.allclose(rows[3], networks.rows.padding[0, 0] + code(networks, "codec_nothink_id"))


def test_from_the_embedding_alone_one_row_is_read_and_the_rest_of_the_text_trails(networks):
    ids = networks.tokenizer.body("and then")
    built = networks.rows.input_text(reference(networks, None), ids, full_text=False)
    assert torch.allclose(built.rows[0], text(networks, ids[:1]) + code(networks, "codec_bos_id"))
    assert torch.allclose(built.trailing[0], text(networks, [*ids[1:], networks.config.tts_eos_token_id]))


def test_from_the_embedding_alone_the_full_text_can_be_read_first(networks):
    ids = networks.tokenizer.body("and then")
    built = networks.rows.input_text(reference(networks, None), ids, full_text=True)
    words = text(networks, [*ids, networks.config.tts_eos_token_id]) + code(networks, "codec_pad_id")
    assert torch.allclose(built.rows[0, :-1], words)
    assert torch.allclose(built.rows[0, -1], networks.rows.padding[0, 0] + code(networks, "codec_bos_id"))
    assert torch.equal(built.trailing, networks.rows.padding)


@pytest.mark.parametrize("words", ["the", "a voice that has many more letters than frames"])
@pytest.mark.parametrize("said", ["the", "and then a sentence that is longer than the frames of the reference"])
def test_in_context_text_and_frames_are_added_row_by_row_and_the_longer_text_trails(networks, words, said):
    ids = networks.tokenizer.body(said)
    shown = reference(networks, words)
    built = networks.rows.build(shown, ids, english(networks), full_text=False)
    fixed = HEADER + TAGS + 2
    batched_decoder = text(networks, [*shown.text_ids, *ids, networks.config.tts_eos_token_id])
    padding = networks.rows.padding[0]
    n = N_FRAMES + 1
    batched_decoder = torch.cat([batched_decoder, padding.expand(max(0, n - len(batched_decoder)), -1)])
    assert torch.allclose(built.rows[0, fixed:], batched_decoder[:n] + shown.code_rows[0])
    assert torch.allclose(built.trailing[0], batched_decoder[n:] if len(batched_decoder) > n else padding)


def test_in_context_the_full_text_stands_before_the_frames(networks):
    ids, shown = networks.tokenizer.body("and then"), reference(networks, "the voice")
    built = networks.rows.build(shown, ids, None, full_text=True)
    words = text(networks, [*shown.text_ids, *ids, networks.config.tts_eos_token_id]) + code(networks, "codec_pad_id")
    expected = torch.cat([words, shown.code_rows[0] + networks.rows.padding[0]])
    assert torch.allclose(built.rows[0, HEADER + AUTO_TAGS + 2 :], expected)
    assert torch.equal(built.trailing, networks.rows.padding)


@pytest.mark.parametrize("full_text", [False, True])
@pytest.mark.parametrize("words", [None, "the", "a voice that has many more letters than frames"])
def test_no_text_changes_the_shared_rows_and_one_row_is_always_left(networks, words, full_text):
    shown = reference(networks, words)
    shared = networks.rows.shared(shown, english(networks), full_text=full_text)
    for said in ("x", "and then the sentence"):
        built: TextRows = networks.rows.build(shown, networks.tokenizer.body(said), english(networks), full_text=full_text)
        assert torch.equal(built.rows[:, : shared.shape[1]], shared)
        assert built.rows.shape[1] > shared.shape[1]


@pytest.mark.parametrize("full_text", [False, True])
@pytest.mark.parametrize("words", [None, "the", "a voice that has many more letters than frames"])
def test_keys_of_the_shared_rows_are_as_good_as_reading_them_again(networks, words, full_text):
    shown, ids = reference(networks, words), networks.tokenizer.body("and then the sentence")
    whole = networks.rows.build(shown, ids, None, full_text=full_text).rows
    shared = networks.rows.shared(shown, None, full_text=full_text)
    rest = networks.rows.input_text(shown, ids, full_text=full_text).rows
    decoder = networks.talker.decoder
    first, second = decoder.new_cache(1, 128), decoder.new_cache(1, 128)
    decoder.prefill(shared, first)
    second.restore(first.saved(0, shared.shape[1]))
    reused = decoder.prefill(rest, second, start=shared.shape[1])
    assert torch.allclose(reused, decoder.prefill(whole, decoder.new_cache(1, 128)), atol=1e-12)
