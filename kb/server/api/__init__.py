"""`/api/v1/`: the base for other programs, in the shapes of the command line's JSON."""
