"""How fast a network was after how long a time of tuning."""

import time


class TimeIsUp(Exception):
    pass


class Curve:
    """Best times of tasks as they come in."""

    def __init__(self, weights, minutes):
        self.weights = weights
        self.best = [None] * len(weights)
        self.start = time.perf_counter()
        self.minutes = minutes
        self.trials = 0
        self.points = []

    def elapsed(self):
        return time.perf_counter() - self.start

    def is_over(self):
        return self.elapsed() > 60 * self.minutes

    def add(self, task, seconds):
        self.trials += len(seconds)
        times = [s for s in seconds + [self.best[task]] if s is not None]
        self.best[task] = min(times, default=None)
        is_complete = all(best is not None for best in self.best)
        total = 1e3 * sum(w * b for w, b in zip(self.weights, self.best)) if is_complete else None
        self.points.append([self.elapsed(), total])
        if self.is_over():
            raise TimeIsUp


def seconds_to_reach(curve, milliseconds):
    """When ours was as fast as that, by its own estimate; None when it never was."""
    return next((seconds for seconds, estimate in curve if estimate <= milliseconds), None)
