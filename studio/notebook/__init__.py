"""The door for Python programs and notebooks: `from studio import Studio`. It turns its arguments into the API's body."""
