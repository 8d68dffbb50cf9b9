"""Tests of the notification processing unit."""
