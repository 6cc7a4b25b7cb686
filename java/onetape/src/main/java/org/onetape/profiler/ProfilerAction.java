package org.onetape.profiler;

/** What a profiler does during a step. */
public enum ProfilerAction {
  /** Nothing. */
  NONE,
  /** It records, and forgets that. */
  WARMUP,
  /** It records. */
  RECORD,
  /** It records, and the profile is complete at the step's end. */
  RECORD_AND_SAVE
}
