"""The page's Gradio theme: one accent, neutral greys, the reader's own fonts. Nothing is fetched from a font host."""

import gradio as gr

__all__ = ["build_theme"]

FONT = ("system-ui", "-apple-system", "'Segoe UI'", "Roboto", "'Noto Sans'", "sans-serif")
MONO = ("ui-monospace", "'SF Mono'", "'Cascadia Mono'", "'DejaVu Sans Mono'", "monospace")


def build_theme() -> gr.themes.Base:
    """What Gradio's own components look like; assets/web/studio.css does the rest."""
    return gr.themes.Base(
        primary_hue=gr.themes.colors.teal,
        neutral_hue=gr.themes.colors.stone,
        radius_size=gr.themes.sizes.radius_sm,
        spacing_size=gr.themes.sizes.spacing_md,
        text_size=gr.themes.sizes.text_md,
        font=FONT,
        font_mono=MONO,
    ).set(
        body_background_fill="*neutral_50",
        body_background_fill_dark="*neutral_950",
        block_background_fill="transparent",
        block_background_fill_dark="transparent",
        block_border_width="0px",
        block_padding="0px",
        block_label_text_weight="600",
        block_title_text_weight="600",
        block_title_text_color="*body_text_color",
        block_title_text_color_dark="*body_text_color",
        input_background_fill="white",
        input_background_fill_dark="*neutral_900",
        input_border_width="1px",
        input_border_color="#8f8983",
        input_border_color_dark="#7d7671",
        input_padding="10px",
        input_radius="6px",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_400",
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_400",
    )
