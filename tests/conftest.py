"""For all tests: interruptions reach the processes that tests start."""

import signal

# A shell that starts the tests in the background has SIGINT ignored, which their children would inherit.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
