"""The door of Python programs and notebooks: `from studio import Studio`. What it is given becomes the API's body."""
