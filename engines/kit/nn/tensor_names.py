"""TensorNames: the checkpoint's names for the parts of a transformer layer. From them follows what our packed parameters hold."""

from dataclasses import dataclass

from engines.kit.nn.attention import AttentionConfig

__all__ = ["LLAMA_NAMES", "USUAL_NAMES", "TensorNames"]


@dataclass(frozen=True)
class TensorNames:
    """Names below a layer, without `.weight` and `.bias`. Several names: matrices that lie one above the other in one of ours; a fused
    `wqkv` is one name. The scales, of what attention and network add, are tensors themselves.

    The defaults are those of Qwen2, Qwen3, MiniCPM4, Mimi and Mistral in transformers.
    """

    qkv: tuple[str, ...] = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
    out: str = "self_attn.o_proj"
    q_norm: str = "self_attn.q_norm"
    k_norm: str = "self_attn.k_norm"
    up: tuple[str, ...] = ("mlp.gate_proj", "mlp.up_proj")
    down: str = "mlp.down_proj"
    attention_norm: str = "input_layernorm"
    mlp_norm: str = "post_attention_layernorm"
    attention_scale: str = "self_attn_layer_scale.scale"
    mlp_scale: str = "mlp_layer_scale.scale"

    def packs(self, attention: AttentionConfig, *, gated: bool) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: what parameters of ours hold, where that is several tensors or has another name."""
        modules = {
            "self_attn.qkv_proj": self.qkv,
            "self_attn.o_proj": (self.out,),
            "mlp.gate_up_proj" if gated else "mlp.up_proj": self.up,
            "mlp.down_proj": (self.down,),
            "input_layernorm": (self.attention_norm,),
            "post_attention_layernorm": (self.mlp_norm,),
        }
        packs = {
            f"{ours}.{leaf}": tuple(f"{name}.{leaf}" for name in names) for leaf in ("weight", "bias") for ours, names in modules.items()
        }
        packs["self_attn.qk_norm"] = (f"{self.q_norm}.weight",) * attention.n_heads + (f"{self.k_norm}.weight",) * attention.n_kv_heads
        packs |= {"attention_scale": (self.attention_scale,), "mlp_scale": (self.mlp_scale,)}
        return {ours: names for ours, names in packs.items() if names != (ours,)}


USUAL_NAMES = TensorNames()
# Those of Llama's own release, and of Mistral's consolidated files, whose codec has the scales.
LLAMA_NAMES = TensorNames(
    qkv=("attention.wq", "attention.wk", "attention.wv"),
    out="attention.wo",
    q_norm="attention.q_norm",
    k_norm="attention.k_norm",
    up=("feed_forward.w1", "feed_forward.w3"),
    down="feed_forward.w2",
    attention_norm="attention_norm",
    mlp_norm="ffn_norm",
    attention_scale="attention_scale",
    mlp_scale="ffn_scale",
)
