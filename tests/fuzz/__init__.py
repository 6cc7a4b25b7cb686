"""Programs that call everything public with arguments nobody means, and look whether the process lives."""
