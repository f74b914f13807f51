"""Serving a base over HTTP: the site's files, the API, and a site that follows the records."""
