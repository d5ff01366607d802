"""Reference audio of a request: turns a data, http(s) or file URL into a Clip, within bounds."""
