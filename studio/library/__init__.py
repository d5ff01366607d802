"""What a person does with voices beside speaking: edit, set aside, undo, bundles."""
