"""Rules for the CosyVoice3 configuration keys that no dataclass reads: implemented values, and keys without effect, with reasons.

The file names classes and functions. Their arguments are those of the official package (CosyVoice @ ace7c47).
"""

from engines.kit.nn.decoder_sizes import PLAIN_DECODER
from engines.kit.weights.config_reading import Rules

__all__ = [
    "CFM",
    "DECODER",
    "ESTIMATOR",
    "F0",
    "FILE",
    "FLOW",
    "ISTFT",
    "LANGUAGE",
    "LANGUAGE_PART",
    "LOOKAHEAD",
    "MEL",
    "RAS",
    "TOKENIZER",
    "VOCODER",
]

# Of cosyvoice3.yaml. What other keys refer to is read where they stand.
FILE = Rules(
    only={"sample_rate": (24_000,), "token_frame_rate": (25,)},
    inert={
        "read as sections of their own": "llm hift feat_extractor get_tokenizer",
        "referred to": (
            "llm_input_size llm_output_size spk_embed_dim token_mel_ratio chunk_size num_decoding_left_chunks qwen_pretrain_path"
        ),
        "seeds of what is drawn when the official package begins; here noise is a function of a speech's seed and of its place": (
            "__set_seed1 __set_seed2 __set_seed3 __set_seed4"
        ),
        "the tokenizer takes no notice of it": "allowed_special",
        "of training the vocoder": "mel_spec_transform1 hifigan data_pipeline_gan train_conf_gan",
        "of training: how recordings are read, cut, sorted and put together": (
            "parquet_opener tokenize filter resample truncate compute_fbank compute_f0 parse_embedding shuffle sort batch padding"
            " data_pipeline"
        ),
        "of training": "train_conf",
    },
)
LANGUAGE_PART = Rules(
    inert={
        "of training": "length_normalized_loss lsm_weight",
        "of training, and of text that comes while speech goes on, which is not implemented": "mix_ratio",
        "read as sections of their own": "llm sampling",
    }
)
# Of CosyVoice-BlankEN/config.json.
LANGUAGE = PLAIN_DECODER | Rules(
    # Whether the table of text gives logits too changes nothing: nobody asks for logits of text.
    only={"model_type": ("qwen2",), "tie_word_embeddings": (True, False)},
)
RAS = Rules()
FLOW = Rules(
    only={"output_type": ("mel",), "input_frame_rate": (25,)},
    inert={
        "of training": "only_mask_loss",
        "kept, never read": "decoder_conf",
        "read as sections of their own": "pre_lookahead_layer decoder",
    },
)
LOOKAHEAD = Rules()
DECODER = Rules(
    inert={
        "of another estimator, a U-Net": "in_channels n_spks",
        "read as sections of their own": "cfm_params estimator",
    }
)
CFM = Rules(
    only={"solver": ("euler",), "t_scheduler": ("cosine",)},
    inert={"of training": "sigma_min training_cfg_rate reg_loss_type"},
)
ESTIMATOR = Rules(
    only={"long_skip_connection": (False,), "num_decoding_left_chunks": (-1,)},
    inert={"of training": "dropout"},
)
VOCODER = Rules(inert={"read as sections of their own": "istft_params f0_predictor"})
ISTFT = Rules()
F0 = Rules(only={"num_class": (1,)})
# The mel frames that the flow was trained on; recording.py computes these.
MEL = Rules(
    only={
        "n_fft": (1920,),
        "num_mels": (80,),
        "sampling_rate": (24_000,),
        "hop_size": (480,),
        "win_size": (1920,),
        "fmin": (0,),
        "fmax": (None,),
        "center": (False,),
    },
)
TOKENIZER = Rules(
    only={"version": ("cosyvoice3",)},
    inert={"of ids made text again, which nobody asks for": "skip_special_tokens", "it is in CosyVoice-BlankEN": "token_path"},
)
