"""Rules for the VoxCPM2 configuration keys that no dataclass reads: implemented values, and keys without effect, with reasons."""

from engines.kit.weights.config_reading import Rules

__all__ = ["AUDIO_VAE", "DIT", "ENCODER", "LM", "MODEL", "ROPE_SCALING"]

MODEL = Rules(
    inert={
        "checked before": "architecture",
        "notes: whoever opens the engine says where and in which precision": "device dtype",
    }
)
LM = Rules(
    only={"use_mup": (False,), "no_rope": (False,)},
    inert={
        "no prompt has them, and a speech ends where the stop head says": "bos_token_id eos_token_id",
        "of use_mup": "scale_emb dim_model_base scale_depth",
    },
)
ROPE_SCALING = Rules(only={"type": ("longrope",), "rope_type": ("longrope",)})
ENCODER = Rules()
DIT = Rules(
    # dit_mean_mode is what voxcpm 2.0.3 reads, mean_mode what the released file calls it
    only={"dit_mean_mode": (False,), "mean_mode": (False,)},
    inert={"of training: steps, guidance and noise of speech are those of the call (voxcpm 2.0.3, UnifiedCFM)": "cfm_config"},
)
AUDIO_VAE = Rules(
    only={
        "depthwise": (True,),
        "use_noise_block": (False,),
        "cond_type": ("scale_bias", "scale_bias_init"),  # one computation, from other first values in training
        "cond_out_layer": (False,),
    },
    inert={'of cond_type "concat"': "cond_dim"},
)
