"""The network: plan of a text, front of the decoder, generator. Parameters have the names of the official state dict."""
