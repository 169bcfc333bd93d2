"""Tests of the integration for Home Assistant, in its own test harness."""
