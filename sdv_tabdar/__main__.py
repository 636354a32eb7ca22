"""``python -m sdv_tabdar``: the command line, where its script is not on the path."""

from sdv_tabdar.cli.__main__ import main

if __name__ == '__main__':
    main()
