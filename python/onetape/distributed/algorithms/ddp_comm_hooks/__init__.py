"""Functions that reduce the gradients of DistributedDataParallel."""
