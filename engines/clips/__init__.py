"""Recordings, whatever model hears them: the clip itself, how loud and how good it is, where in it somebody speaks."""
