"""What any ASGI app needs: who may enter, how large a body may be, whose page asks. Knows nothing of speech."""
