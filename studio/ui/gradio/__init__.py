"""Adaptations of Gradio: events, sessions, scripts, markup, news."""
