"""The page: one Gradio app over a Studio. It formats and asks; names, caches and engines are the studio's."""
