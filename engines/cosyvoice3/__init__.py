"""Fun-CosyVoice3: placeholder of the package, until its parts are there."""
