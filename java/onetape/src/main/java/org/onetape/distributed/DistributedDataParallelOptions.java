package org.onetape.distributed;

/** How {@link DistributedDataParallel} works. */
public final class DistributedDataParallelOptions {
  private boolean broadcastBuffers = true;
  private boolean findUnusedParameters;
  private boolean gradientAsBucketView;
  private double bucketCapMb = 25;

  /** The usual way. */
  public DistributedDataParallelOptions() {}

  /** Before each forward pass buffers become those of rank 0; true if nothing is said. */
  public DistributedDataParallelOptions broadcastBuffers(boolean value) {
    broadcastBuffers = value;
    return this;
  }

  /** Forward may leave parameters out; they are looked for in the graph of its results. */
  public DistributedDataParallelOptions findUnusedParameters(boolean value) {
    findUnusedParameters = value;
    return this;
  }

  /** Gradients are parts of the buckets, which saves memory and copies. */
  public DistributedDataParallelOptions gradientAsBucketView(boolean value) {
    gradientAsBucketView = value;
    return this;
  }

  /** Gradients travel in buckets of so many megabytes; 25 if nothing is said. */
  public DistributedDataParallelOptions bucketCapMb(double value) {
    if (!(value > 0)) {
      throw new IllegalArgumentException("bucketCapMb must be positive, but is " + value);
    }
    bucketCapMb = value;
    return this;
  }

  boolean broadcastBuffers() {
    return broadcastBuffers;
  }

  boolean findUnusedParameters() {
    return findUnusedParameters;
  }

  boolean gradientAsBucketView() {
    return gradientAsBucketView;
  }

  long bucketBytes() {
    return (long) (bucketCapMb * (1 << 20));
  }
}
