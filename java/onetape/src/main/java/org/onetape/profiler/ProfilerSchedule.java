package org.onetape.profiler;

/** Says at each step what a profiler does. */
@FunctionalInterface
public interface ProfilerSchedule {
  /** What to do during a step; they are counted from 0. */
  ProfilerAction action(long step);

  /** As {@link #of(int, int, int, int, int)}, for ever and from the first step. */
  static ProfilerSchedule of(int wait, int warmup, int active) {
    return of(wait, warmup, active, 0, 0);
  }

  /**
   * Leaves out some steps, then, again and again, waits, warms up and records.
   *
   * @param wait steps that are left out
   * @param warmup steps that are recorded and forgotten
   * @param active steps that are recorded
   * @param repeat how often; 0 for ever
   * @param skipFirst steps that are left out at the beginning
   * @throws IllegalArgumentException if one is negative, or no step is active
   */
  static ProfilerSchedule of(int wait, int warmup, int active, int repeat, int skipFirst) {
    if (wait < 0 || warmup < 0 || active <= 0 || repeat < 0 || skipFirst < 0) {
      throw new IllegalArgumentException(
          String.format(
              "Invalid profiler schedule arguments. Got wait=%d (need >= 0), warmup=%d (need >= 0),"
                  + " active=%d (need > 0), repeat=%d (need >= 0), skip_first=%d (need >= 0).",
              wait, warmup, active, repeat, skipFirst));
    }
    long whole = (long) wait + warmup + active;
    return step -> {
      if (step < 0) {
        throw new IllegalArgumentException("Step must be non-negative. Got " + step + ".");
      }
      long counted = step - skipFirst;
      if (counted < 0 || (repeat > 0 && counted >= repeat * whole)) {
        return ProfilerAction.NONE;
      }
      long place = counted % whole;
      if (place < wait) {
        return ProfilerAction.NONE;
      }
      if (place < (long) wait + warmup) {
        return ProfilerAction.WARMUP;
      }
      return place < whole - 1 ? ProfilerAction.RECORD : ProfilerAction.RECORD_AND_SAVE;
    };
  }
}
