"""Our own link ranks from the open domain-level web graph: releases imported, names looked up."""
