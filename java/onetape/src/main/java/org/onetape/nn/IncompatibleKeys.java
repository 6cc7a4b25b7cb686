package org.onetape.nn;

import java.util.List;

/** What a state lacked, and what it had too much, when it was loaded into a module. */
public final class IncompatibleKeys {
  private final List<String> missing;
  private final List<String> unexpected;

  IncompatibleKeys(List<String> missing, List<String> unexpected) {
    this.missing = List.copyOf(missing);
    this.unexpected = List.copyOf(unexpected);
  }

  /** The paths of the module's tensors that were not in the state. */
  public List<String> missing_keys() {
    return missing;
  }

  /** The paths in the state that the module does not have. */
  public List<String> unexpected_keys() {
    return unexpected;
  }

  /** Says that all fitted, or what did not, as PyTorch does. */
  @Override
  public String toString() {
    return missing.isEmpty() && unexpected.isEmpty()
        ? "<All keys matched successfully>"
        : "_IncompatibleKeys(missing_keys="
            + PythonText.of(missing)
            + ", unexpected_keys="
            + PythonText.of(unexpected)
            + ")";
  }
}
