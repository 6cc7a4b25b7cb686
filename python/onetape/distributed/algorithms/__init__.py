"""Ways of training with several processes."""
