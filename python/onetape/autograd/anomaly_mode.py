"""Finding the forward call behind an error of a backward pass."""

from __future__ import annotations

import warnings

from onetape._C import _set_anomaly, is_anomaly_check_nan_enabled, is_anomaly_enabled

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class detect_anomaly:
    """In a ``with`` block: every node notes the calls that recorded it, in each language.

    When a backward pass fails at a node, a warning shows these calls. check_nan: a gradient that holds a nan is an
    error, too. The mode holds for all threads and makes everything slower.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.prev = is_anomaly_enabled()
        self.check_nan = check_nan
        self.prev_check_nan = is_anomaly_check_nan_enabled()
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        _set_anomaly(True, self.check_nan)

    def __exit__(self, *error: object) -> None:
        _set_anomaly(self.prev, self.prev_check_nan)


class set_detect_anomaly:
    """Switches the mode of detect_anomaly at once; as a context manager puts the old one back at the end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev = is_anomaly_enabled()
        self.prev_check_nan = is_anomaly_check_nan_enabled()
        _set_anomaly(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        _set_anomaly(self.prev, self.prev_check_nan)
