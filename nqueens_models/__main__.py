"""`python -m nqueens_models ...` is the same as the installed command `nqueens ...`."""

from nqueens_models.cli import main

if __name__ == "__main__":
    main()
