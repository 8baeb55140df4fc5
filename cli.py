"""Launcher: `python cli.py ...` is the same as the installed command `nqueens ...`."""

from nqueens_models.cli import main

if __name__ == "__main__":
    main()
