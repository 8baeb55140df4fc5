"""Readers and writers of instances and solutions."""
