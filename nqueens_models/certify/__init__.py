"""Certificates: files that prove that a list of solutions lacks none, and their checker."""

from nqueens_models.certify.certificate import PROOF_SOLVERS, certify
from nqueens_models.certify.check import Certified, check_certificate

__all__ = ["PROOF_SOLVERS", "Certified", "certify", "check_certificate"]
