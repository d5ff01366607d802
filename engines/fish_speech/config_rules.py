"""Rules for the Fish Audio S2 Pro configuration keys that no dataclass reads: implemented values, and keys without effect."""

from engines.kit.weights.config_reading import TRANSFORMERS, Rules

__all__ = ["AUDIO", "MODEL", "TEXT"]

# Of all rules: what transformers writes into any configuration, the precision among it ("dtype", or "torch_dtype" of older releases), is a
# note: whoever opens the engine says where and in which precision.

# The row of a frame is divided by the root of the number of its parts; the fast transformer begins behind the slow one's last norm. The
# release says neither: both are true for this model_type in the official code, where the class alone says false.
_ALWAYS = Rules(only={"scale_codebook_embeddings": (True,), "norm_fastlayer_input": (True,)})

MODEL = TRANSFORMERS | _ALWAYS | Rules(inert={"checked before": "model_type"})

_TRANSFORMER = Rules(
    only={
        "attention_qkv_bias": (False,),
        "attention_o_bias": (False,),
        "use_moe": (False,),
    },
    inert={
        "how it was trained": "dropout use_gradient_checkpointing",
        "a width that no tensor of the release has (vllm-omni 0.30.0 keeps it and never reads it)": "audio_hidden_dim",
    },
)
TEXT = TRANSFORMERS | _ALWAYS | _TRANSFORMER | Rules(only={"model_type": ("fish_qwen3",), "tie_word_embeddings": (True,)})
AUDIO = TRANSFORMERS | _ALWAYS | _TRANSFORMER | Rules(only={"model_type": ("fish_qwen3_audio_decoder",), "tie_word_embeddings": (False,)})
