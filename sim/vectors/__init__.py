"""What vectors are made of, as pure functions of a seed: documents, subscriptions and streams, and what is due to them by the judges."""
