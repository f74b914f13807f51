"""The build: pipeline, caches, staging."""
