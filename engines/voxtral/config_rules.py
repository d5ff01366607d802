"""Rules for the keys of a Voxtral TTS params.json that no dataclass reads: implemented values, and keys without effect."""

from engines.kit.weights.config_reading import Rules

__all__ = ["AUDIO_MODEL", "CODEC", "FLOW", "MODEL", "MULTIMODAL"]

MODEL = Rules(
    only={
        "use_biases": (False,),
        "causal": (True,),
        "tied_embeddings": (True,),
        "model_parallel": (1,),
        # Of other models by these makers, who say it here (vllm @ 01da88c, transformers_utils/configs/mistral.py).
        "activation": ("silu",),
        "quantization": (None,),
        "moe": (None,),
        "yarn": (None,),
        "rope_scaling": (None,),
        "llama_4_scaling": (None,),
        "sliding_window": (None,),
        "ada_rms_norm_t_cond": (False, None),
    },
    inert={
        "checked before": "model_type",
        "how far positions were thought to go; max_seq_len says how far they do": "max_position_embeddings",
        "the tokenizer's file says which these are": "bos_token_id eos_token_id pad_token_id",
        "notes": "dtype torch_dtype architectures",
    },
)

MULTIMODAL = Rules(inert={"of texts, which are not continued": "eos_token_id pad_token_id"})

# `audio_encoding_args` says again what the codec's section says, and how recordings lay in training.
AUDIO_MODEL = Rules(
    only={"input_embedding_concat_type": ("sum",)},
    inert={
        "of training: how often conditions were left out, and what stood there": "p_uncond condition_dropped_token_id",
        "of a text channel that the release does not have": "text_feature_bugged",
        "said again by the codec's section, and how training lay": "audio_encoding_args",
    },
)

# The head rotates nothing, whatever rope_theta says (vllm-omni 0.30.0, BidirectionalAttention); sigma and sigma_max are of the path that it
# was trained on, and no epsilon.
FLOW = Rules(
    only={"use_biases": (False,)},
    inert={"nothing is rotated": "rope_theta", "of training": "sigma sigma_max"},
)

CODEC = Rules(
    only={
        "channels": (1,),
        "causal": (True,),
        "conv_weight_norm": (True,),
        "half_attn_window_upon_downsampling": (True,),
        "qk_norm": (True,),
        "use_biases": (False,),
        "layer_scale": (True,),
    },
    inert={"of training": "layer_scale_init"},
)
