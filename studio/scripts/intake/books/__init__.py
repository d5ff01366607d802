"""Books as files: EPUB, and pages of HTML."""
