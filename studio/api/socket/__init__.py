"""The WebSocket: text in, audio out, for as many utterances as the client has."""
