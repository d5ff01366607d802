"""Reference audio of a request: a data, http(s) or file URL to a Clip, within bounds."""
