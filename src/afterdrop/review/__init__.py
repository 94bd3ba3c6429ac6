"""History review: what a domain's archived pages, anchors and links say about its past."""
