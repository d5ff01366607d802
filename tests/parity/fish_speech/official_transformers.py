"""What vllm-omni has of the transformers of Fish Audio S2 Pro, run beside the oracle: prompt, rows of frames, the whole fast transformer.

The layers of the slow transformer are vLLM's own, so that there is nothing to run; ours of both are one class.
"""

from types import ModuleType, SimpleNamespace

import torch
from torch import Tensor, nn

from tests.parity.fish_speech.oracle import Oracle
from tests.parity.fish_speech.vllm_modules import module

__all__ = ["differences"]


def differences(oracle: Oracle, text: str, words: str, codes: Tensor) -> list[str]:
    """Where the oracle, in float32, and the package's own code part: codes (Q, F) of a recording with these words, and a text to say.

    The package has its rows in bfloat16, and sees the words of a prompt with their surroundings as one string.
    """
    slow, fast = module("fish_speech_slow_ar"), module("fish_speech_fast_ar")
    wrong = _of_prompts(oracle, module("prompt_utils"), text, words, codes)
    wrong += _of_rows(oracle, slow.FishSpeechSlowARForConditionalGeneration, text, words, codes)
    return wrong + _of_frames(oracle, fast.FishSpeechFastAR, text, words, codes)


class _Tokens:
    """As transformers has tokenizers."""

    def __init__(self, oracle: Oracle):
        self._oracle = oracle

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        return self._oracle.ids(text)

    def convert_tokens_to_ids(self, token: str) -> int | None:
        return self._oracle.tokenizer.token_to_id(token)


def _of_prompts(oracle: Oracle, theirs: ModuleType, text: str, words: str, codes: Tensor) -> list[str]:
    wrong = []
    if oracle.prompt(text)[0] != theirs.build_fish_text_only_prompt_ids(_Tokens(oracle), text)[0]:
        wrong.append("ids of a prompt without a recording")
    semantic = [oracle.first_semantic + int(code) for code in codes[0]]
    cloned = theirs.build_fish_voice_clone_prompt_ids(_Tokens(oracle), text, words, semantic)[0]
    marks = [oracle.tokenizer.token_to_id(mark) for mark in ("<|audio_start|>", "<|audio_end|>")]
    spelled = (
        oracle.tokenizer.decode(ids, skip_special_tokens=False)
        for ids in (oracle.prompt(text, [(words, codes)])[0], [token for token in cloned if token not in marks])
    )
    return wrong + ["what a prompt with a recording spells"] * (len(set(spelled)) != 1)


def _of_rows(oracle: Oracle, theirs: type, text: str, words: str, codes: Tensor) -> list[str]:
    """Rows of a recording's frames in a prompt."""
    books = nn.Embedding.from_pretrained(oracle.codebooks.bfloat16())
    model = SimpleNamespace(
        _semantic_begin_id=oracle.first_semantic,
        _num_codebooks=oracle.n_codebooks,
        _codebook_size=oracle.codebook_size,
        codebook_embeddings=books,
        embed_input_ids=nn.Embedding.from_pretrained(oracle.embeddings.bfloat16()),
    )
    rows = theirs._apply_codebook_embeddings(model, _Tokens(oracle), text, words, codes.T)
    ids, mine = oracle.prompt(text, [(words, codes)])
    frames = torch.tensor([oracle.first_semantic <= token <= oracle.last_semantic for token in ids])
    n_behind = frames.tolist()[::-1].index(True) + 1  # and a mark
    found = rows[-n_behind - codes.shape[1] : -n_behind].float()
    return ["rows of frames"] * (not torch.allclose(found, mine[frames], rtol=2**-7, atol=2**-7))


@torch.inference_mode()
def _of_frames(oracle: Oracle, theirs: type, text: str, words: str, codes: Tensor) -> list[str]:
    """All codes of every frame from the slow transformer's states, greedily, with the weights as the package renames them."""
    trace = oracle.speak(text, [(words, codes)])
    config = oracle.config["audio_decoder_config"]
    given = {"hidden_size": "dim", "num_attention_heads": "n_head", "num_key_value_heads": "n_local_heads", "rms_norm_eps": "norm_eps"}
    given |= {"num_hidden_layers": "n_layer", "rope_theta": "rope_base", "max_position_embeddings": "max_seq_len"}
    sizes = SimpleNamespace(**config, **{name: config[ours] for name, ours in given.items()})
    slow = SimpleNamespace(
        hidden_size=oracle.config["text_config"]["dim"], semantic_begin_id=oracle.first_semantic, semantic_end_id=oracle.last_semantic
    )
    model = theirs(vllm_config=None, config=sizes, slow_ar_config=slow)
    model.load_state_dict(_renamed(oracle))
    model.fast_output.weight = nn.Parameter(oracle.fast_output[: oracle.residual_size])  # it knows no other size of books than 1024
    tokens = torch.tensor([oracle.first_semantic + int(frame[0]) for frame in trace.codes])
    found = model(torch.stack(trace.states), tokens, do_sample=False)
    return ["codes of frames"] * (not torch.equal(found, torch.stack(trace.codes)))


def _renamed(oracle: Oracle) -> dict[str, Tensor]:
    weights = {"fast_norm.weight": oracle.fast.last_norm, "fast_embeddings.weight": oracle.fast_embeddings}
    weights["fast_output.weight"] = oracle.fast_output
    names = {"attention.wqkv": "self_attn.qkv_proj", "attention.wo": "self_attn.o_proj", "attention_norm": "input_layernorm"}
    names |= {"attention.q_norm": "self_attn.q_norm", "attention.k_norm": "self_attn.k_norm", "feed_forward.w2": "mlp.down_proj"}
    names |= {"ffn_norm": "post_attention_layernorm"}
    for i, layer in enumerate(oracle.fast.layers):
        gate_up = [layer["feed_forward.w1.weight"], layer["feed_forward.w3.weight"]]
        weights[f"model.layers.{i}.mlp.gate_up_proj.weight"] = torch.cat(gate_up)
        for name, renamed in names.items():
            if f"{name}.weight" in layer:
                weights[f"model.layers.{i}.{renamed}.weight"] = layer[f"{name}.weight"]
    return weights
