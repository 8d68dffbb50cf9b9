"""Tests of the subscription processing unit."""
