"""Decide, plan and run refreshes."""
