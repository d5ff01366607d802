"""Markup of texts as clients send them: SSML, HTML, tokens and directions of models, emoji, Markdown."""
