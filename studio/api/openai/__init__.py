"""The door at /openai/v1, for programs that use OpenAI's API: its shapes, its defaults, and its names of models and voices."""
