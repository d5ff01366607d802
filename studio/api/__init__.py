"""The HTTP door: wire-compatible with vLLM-Omni's speech API. It turns bytes into clips and back, and calls Studio's verbs.

Here the ecosystem's words rule (voice, model, input, ref_audio); inside the studio they are speaker, engine, text, clip. No torch and
no engine is imported here.
"""
