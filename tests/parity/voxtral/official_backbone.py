"""The backbone of Voxtral as transformers has it: MistralForCausalLM, with the weights of a checkpoint. Imported where transformers is.

Its rotation turns the first half of a head's channels with the second, the checkpoint's neighboring ones, so that rows of wq and wk change
places, as in transformers' own conversion of such files (convert_mistral_weights_to_hf.py).
"""

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn
from transformers import DynamicCache, MistralConfig, MistralForCausalLM

__all__ = ["OfficialBackbone"]

PARTS = {
    "attention.wq": "self_attn.q_proj",
    "attention.wk": "self_attn.k_proj",
    "attention.wv": "self_attn.v_proj",
    "attention.wo": "self_attn.o_proj",
    "feed_forward.w1": "mlp.gate_proj",
    "feed_forward.w2": "mlp.down_proj",
    "feed_forward.w3": "mlp.up_proj",
    "attention_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}


class OfficialBackbone(nn.Module):
    """params: of params.json. The names of weights are those of the file, as vllm-omni hands them on."""

    def __init__(self, params: Mapping):
        super().__init__()
        self._heads = {"attention.wq": params["n_heads"], "attention.wk": params["n_kv_heads"]}
        self.lm = MistralForCausalLM(
            MistralConfig(
                vocab_size=params["vocab_size"],
                hidden_size=params["dim"],
                intermediate_size=params["hidden_dim"],
                num_hidden_layers=params["n_layers"],
                num_attention_heads=params["n_heads"],
                num_key_value_heads=params["n_kv_heads"],
                head_dim=params["head_dim"],
                max_position_embeddings=params["max_seq_len"],
                rms_norm_eps=params["norm_eps"],
                rope_parameters={"rope_type": "default", "rope_theta": params["rope_theta"]},
                tie_word_embeddings=True,
                sliding_window=None,
            )
        ).eval()
        self.lm.tie_weights()

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> set[str]:
        """One after another, so that only one of them is in memory twice. Raises SystemExit where one is missing or unknown."""
        wanted, named = dict(self.lm.named_parameters()), set()
        for given, stored in weights:
            name, tensor = self._converted(given, stored)
            if name not in wanted:
                raise SystemExit(f"The backbone does not fit transformers' class: {given} is unexpected")
            wanted[name].data.copy_(tensor)
            named.add(name)
        if missing := wanted.keys() - named:  # the head is the table of tokens, and no parameter of its own
            raise SystemExit(f"The backbone does not fit transformers' class: {sorted(missing)[:4]} are missing")
        return named

    def _converted(self, name: str, tensor: Tensor) -> tuple[str, Tensor]:
        if name == "tok_embeddings.weight":
            return "model.embed_tokens.weight", tensor
        if name == "norm.weight":
            return "model.norm.weight", tensor
        _, layer, part = name.removesuffix(".weight").split(".", 2)
        if part in self._heads:
            n_heads = self._heads[part]
            tensor = tensor.view(n_heads, -1, 2, tensor.shape[1]).transpose(1, 2).reshape(tensor.shape)
        return f"model.layers.{layer}.{PARTS[part]}.weight", tensor

    def embed(self, ids: Tensor) -> Tensor:
        """(T,) -> (T, D)."""
        return self.lm.model.embed_tokens(ids)

    def states(self, rows: Tensor, cache: DynamicCache) -> Tensor:
        """(T, D), which the cache is told of -> (T, D) behind the last norm."""
        return self.lm.model(inputs_embeds=rows[None], past_key_values=cache, use_cache=True).last_hidden_state[0]

    @staticmethod
    def new_cache() -> DynamicCache:
        """Of a prompt and what is spoken behind it."""
        return DynamicCache()

    @property
    def dtype(self) -> torch.dtype:
        return self.lm.dtype
