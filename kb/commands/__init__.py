"""What each command does, and how its answers look on a terminal."""
