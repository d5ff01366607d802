"""Guards for any ASGI app: who may enter, how large a body may be, whose page asks. They know nothing of speech."""
