"""The page: one Gradio app over a Studio. It formats and asks; names, caches and engines are the studio's."""

from studio.ui.gradio.gradio_stubs import leave_out_stubs

leave_out_stubs()
