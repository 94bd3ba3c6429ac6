"""The daily scan: feeds taken in, candidates reviewed, ranks and open domains settled at its end."""
