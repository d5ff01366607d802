"""The page's Gradio theme. Gradio's own components take the tokens of assets/web/styles/tokens.css. Nothing is fetched from a font host."""

import inspect

from gradio.themes.base import Base
from gradio.themes.utils import sizes

__all__ = ["build_theme"]

# Gradio's names, and what of tokens.css they take, in both modes. Its fonts and its accent are in gradio.css: here the name of
# a font would be quoted, and the accent has one value for both modes.
TOKENS = {
    "body_background_fill": "paper",
    "body_text_color": "ink",
    "body_text_color_subdued": "ink-soft",
    "body_text_size": "t-body",
    "background_fill_primary": "raised",
    "background_fill_secondary": "sunk",
    "shadow_drop_lg": "shadow-pop",
    "border_color_primary": "line",
    "border_color_accent": "accent",
    "color_accent_soft": "accent-wash",
    "link_text_color": "accent",
    "link_text_color_hover": "accent-strong",
    "link_text_color_active": "accent-strong",
    "link_text_color_visited": "accent",
    "block_info_text_color": "ink-soft",
    "block_label_text_color": "ink",
    "block_title_text_color": "ink",
    "input_background_fill": "card",
    "input_background_fill_focus": "card",
    "input_border_color": "line-strong",
    "input_border_color_focus": "accent",
    "input_placeholder_color": "ink-soft",
    "input_radius": "r-control",
    "input_text_size": "t-body",
    "error_background_fill": "bad-wash",
    "error_border_color": "bad",
    "error_icon_color": "bad",
    "error_text_color": "bad",
    "checkbox_border_color": "line-strong",
    "checkbox_border_color_hover": "line-strong",
    "button_primary_background_fill": "accent",
    "button_primary_background_fill_hover": "accent-strong",
    "button_primary_border_color": "accent",
    "button_primary_border_color_hover": "accent-strong",
    "button_primary_text_color": "on-accent",
    "button_secondary_background_fill": "card",
    "button_secondary_background_fill_hover": "sunk",
    "button_secondary_border_color": "line-strong",
    "button_secondary_border_color_hover": "line-strong",
    "button_secondary_text_color": "ink",
    "button_cancel_background_fill": "record",
    "button_cancel_background_fill_hover": "record",
    "button_cancel_border_color": "record",
    "button_cancel_text_color": "on-record",
    "button_large_radius": "r-control",
    "button_medium_radius": "r-control",
    "button_small_radius": "r-control",
}
FONT, MONO = ("system-ui", "sans-serif"), ("ui-monospace", "monospace")  # until gradio.css is there


def build_theme() -> Base:
    """What Gradio's own components look like; assets/web/styles/gradio.css does the rest."""
    return Base(
        radius_size=sizes.radius_sm,
        spacing_size=sizes.spacing_md,
        text_size=sizes.text_md,
        font=FONT,
        font_mono=MONO,
    ).set(
        block_background_fill="transparent",
        block_background_fill_dark="transparent",
        block_border_width="0px",
        block_padding="0px",
        block_label_text_weight="600",
        block_title_text_weight="600",
        input_border_width="1px",
        input_padding="10px",
        **_taken(),
    )


def _taken() -> dict[str, str]:
    """Each name with its token, and again for the dark mode where Gradio has two: variables are looked up where they are set."""
    settable = inspect.signature(Base.set).parameters
    both = {mode: f"var(--{token})" for name, token in TOKENS.items() for mode in (name, f"{name}_dark")}
    return {name: value for name, value in both.items() if name in settable}
