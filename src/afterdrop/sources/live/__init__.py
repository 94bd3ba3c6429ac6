"""Pages as they stand today on other people's hosts, read as a polite visitor reads them."""
