"""The library: everything a person does with voices except speaking: edit, delete, undo, bundles."""
