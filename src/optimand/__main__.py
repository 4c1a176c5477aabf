"""`python -m optimand` is the command line."""

from optimand.cli import main

main()
