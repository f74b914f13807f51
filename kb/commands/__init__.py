"""What each command does, between the command line and the rooms: nothing here knows of options or exit codes."""
