"""`python -m afterdrop` is the command `afterdrop`."""

from afterdrop.cli import main

if __name__ == "__main__":
    main()
