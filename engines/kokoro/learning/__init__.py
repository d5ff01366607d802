"""How a clip becomes a voice: what is measured in it, which sounds it says, a style at once, and its refinement step by step."""
