"""What people bring to evaluate by: lists of texts, folders of recordings, sounds of other systems; and the studio's own set of texts."""
