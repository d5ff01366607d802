"""sent_edit: a change of a recording, on its way to another process."""

from dataclasses import replace

from engines.contract.editing import RecordingEdit

__all__ = ["sent_edit"]


def sent_edit(change: RecordingEdit) -> RecordingEdit:
    """The same, which can be pickled: a read-only view of values cannot."""
    return replace(change, operations=tuple(replace(one, values=dict(one.values)) for one in change.operations))
