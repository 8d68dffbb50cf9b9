"""What boards need besides logic."""
