"""Launcher: `python cli.py ...` is the same as the installed command `nqueens ...`."""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback for Ctrl-C during the imports; `main` takes over

from nqueens_models.cli import main

if __name__ == "__main__":
    main()
