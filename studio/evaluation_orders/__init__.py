"""What somebody asks to have evaluated, in whatever words their door takes, made into the order for it: checked before anything is said."""
