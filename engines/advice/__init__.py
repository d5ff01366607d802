"""What the studio tells a person about a clip, measured by no model: which part is best, and what to do better."""
