"""Whose voice a sound is: the speaker encoder of Resemblyzer, with its weights, and the mel spectrograms that it takes."""
