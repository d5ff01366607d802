"""What reports are made of: markup, style, drawings. No report itself."""
