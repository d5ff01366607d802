"""What bends Gradio: events, sessions, scripts, markup, news."""
