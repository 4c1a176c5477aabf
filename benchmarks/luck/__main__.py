"""`python -m benchmarks.luck small` or `full`; see `table`."""

from benchmarks.luck.table import main

main()
