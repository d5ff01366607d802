"""The WebSocket: text in, audio out, for any number of utterances."""
