"""The nouns of scripts: script, cast, line, take, and the edits that change them."""
