"""Takes in parts: each sentence of a kept speech can be said again and chosen, and the whole is put together again."""
