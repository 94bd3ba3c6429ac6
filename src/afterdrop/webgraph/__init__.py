"""Our own link authority from the open domain-level web graph: import its files, look names up.

The graph's rank positions give `link_rank` (0-100); its links, where they were imported too, give exact numbers of
referring domains and the best-ranked of them. Nothing here is a vendor's figure.
"""
