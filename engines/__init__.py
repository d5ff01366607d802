"""Speech engines: a clip and a text become audio. They know no names of people, no disk layout of the product, no HTTP and no page."""
