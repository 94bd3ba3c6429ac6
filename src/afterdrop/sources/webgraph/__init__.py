"""Our own link ranks from the open domain-level web graph: importing its releases and looking names up."""
