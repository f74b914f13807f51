"""The plug-ins of this project, a folder each; a folder may be deleted."""
