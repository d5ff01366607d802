"""Rules for the Qwen3-TTS configuration keys that no dataclass reads: implemented values, and keys without effect, with reasons."""

from engines.kit.nn.decoder_sizes import PLAIN_DECODER
from engines.kit.weights.config_reading import TRANSFORMERS, Every, Rules

__all__ = ["CODEC", "CODEC_DECODER", "GENERATION", "MODEL", "MROPE", "PREDICTOR", "TALKER"]

MROPE = ("mrope_section", "interleaved", "mrope_interleaved")  # all parts have equal positions, so that the cut between them has no effect

MODEL = TRANSFORMERS | Rules(
    inert={
        "checked before": "model_type tokenizer_type tts_model_type",
        "sections of their own": "speaker_encoder_config talker_config",
        "the tokenizer knows the word": "assistant_token_id",
    }
)
PREDICTOR = PLAIN_DECODER | Rules(only={"model_type": ("qwen3_tts_talker_code_predictor",)})
TALKER = PLAIN_DECODER | Rules(
    only={"model_type": ("qwen3_tts_talker",)},
    inert={
        "a section of its own": "code_predictor_config",
        "of videos": "position_id_per_seconds",
        "built-in speakers, read apart": "spk_id spk_is_dialect",
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
