"""Keys of a Qwen3-TTS checkpoint's configuration that no dataclass reads: which values are implemented, which have no effect and why."""

from engines.layers.config_reading import TRANSFORMERS, Every, Rules

__all__ = ["CODEC", "CODEC_DECODER", "GENERATION", "MIMI", "MODEL", "MROPE", "PREDICTOR", "TALKER"]

FRAME_RATE = 12.5  # 24,000 Hz over frames of 1,920 samples
MROPE = ("mrope_section", "interleaved", "mrope_interleaved")  # all parts have equal positions, so that the cut between them has no effect

MODEL = TRANSFORMERS | Rules(
    inert={
        "checked before": "model_type tokenizer_type tts_model_type",
        "sections of their own": "speaker_encoder_config talker_config",
        "the tokenizer knows the word, and no prompt ends a turn": "assistant_token_id im_end_token_id",
    }
)
ATTENTION = TRANSFORMERS | Rules(
    only={
        "hidden_act": ("silu",),
        "attention_bias": (False,),
        "use_sliding_window": (False,),
        "layer_types": (None, Every("full_attention")),
    },
    inert={
        "of use_sliding_window": "sliding_window max_window_layers",
        "no table here ends there": "max_position_embeddings",
    },
)
PREDICTOR = ATTENTION | Rules(only={"model_type": ("qwen3_tts_talker_code_predictor",)})
TALKER = ATTENTION | Rules(
    only={"model_type": ("qwen3_tts_talker",)},
    inert={
        "a section of its own": "code_predictor_config",
        "of videos": "position_id_per_seconds",
        "built-in voices, of other models than Base": "spk_id spk_is_dialect",
    },
)
MIMI = TRANSFORMERS | Rules(
    only={
        "model_type": ("mimi",),
        "_frame_rate": (None, FRAME_RATE),
        "frame_rate": (None, FRAME_RATE),
        "sampling_rate": (24_000,),
        "audio_channels": (1,),
        "attention_bias": (False,),
        "hidden_act": ("gelu",),
        "normalize": (False,),
        "pad_mode": ("constant",),
        "use_causal_conv": (True,),
        "use_conv_shortcut": (False,),
        "use_streaming": (False,),
    },
    inert={
        "not obeyed by the official code either, see MimiEncoder": "sliding_window",
        "of Mimi's own decoder, which is not in the checkpoint": "trim_right_ratio upsample_groups",
        "compared with codebook_dim": "vector_quantization_hidden_dimension",
        "no table here ends there": "max_position_embeddings",
    },
)
CODEC_DECODER = TRANSFORMERS | Rules(
    only={
        "hidden_act": ("silu",),
        "attention_bias": (False,),
        "layer_types": (None, Every("sliding_attention")),
        "num_semantic_quantizers": (1,),
    },
    inert={
        "the official code reads codebook_dim and codebook_size alone": "semantic_codebook_size vector_quantization_hidden_dimension",
        "no table here ends there": "max_position_embeddings",
    },
)
CODEC = TRANSFORMERS | Rules(only={"model_type": ("qwen3_tts_tokenizer_12hz",)})
GENERATION = TRANSFORMERS | Rules(
    only={"num_beams": (1,), "typical_p": (1.0, None), "no_repeat_ngram_size": (0, None), "min_length": (0, None)}
)
