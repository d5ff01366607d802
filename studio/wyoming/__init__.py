"""The Wyoming door: text and sound as Home Assistant and Rhasspy send them, by the events of the package wyoming."""
