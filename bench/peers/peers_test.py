"""Tests of the driver that need no package: numbers, and processes that misbehave."""

import json
import pathlib
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import contestant
import curves
import report


def row(model, system, median_ms):
    return {"model": model, "system": system, "median_ms": median_ms}


class Report(unittest.TestCase):
    def test_geomean_is_over_models_that_both_ran(self):
        rows = [
            row("a", "tessera", 2.0), row("a", "other", 1.0),
            row("b", "tessera", 8.0), row("b", "other", 1.0),
            row("c", "tessera", 5.0), row("c", "other", None),
            row("d", "tessera", None), row("d", "other", 7.0),
        ]
        self.assertEqual(report.geomean_ratios(rows), {"other": 4.0})

    def test_the_fastest_other_counts(self):
        rows = [
            row("a", "tessera", 1.0), row("a", "slow", 8.0), row("a", "fast", 2.0),
            row("b", "tessera", 1.0), row("b", "slow", 8.0), row("b", "fast", None),
            row("c", "tessera", 1.0), row("c", "fast", None),
        ]
        self.assertEqual(report.geomean_over_best(rows), 4.0)
        self.assertIsNone(report.geomean_over_best([row("a", "tessera", 1.0)]))

    def test_percentile_is_a_sample(self):
        self.assertEqual(report.percentile(range(1, 11), 0.9), 9)
        self.assertEqual(report.percentile([3], 0.9), 3)

    def test_a_failure_has_no_numbers_and_its_reason(self):
        failed = types.SimpleNamespace(
            system="other", version=None, times_ms=[], error=None, compile_s=1.5, peak_mb=None, failure="crashed"
        )
        got = report.row_of("a", failed)
        self.assertIsNone(got["median_ms"])
        self.assertEqual(got["failure"], "crashed")
        self.assertIn("crashed", report.table_of([got]))
        json.dumps(got)


class Process(unittest.TestCase):
    """Stand-ins for worker.py, as Python source."""

    def contestant(self, source):
        process = contestant.Contestant("other", [sys.executable, "-c", source])
        self.addCleanup(process.end)
        return process

    def failure(self, source, timeout_s=60):
        with self.assertRaises(contestant.Failed) as caught:
            self.contestant(source).ask("run", 1, timeout_s)
        return str(caught.exception)

    def test_answers_are_read(self):
        echo = "import sys, json; [print(json.dumps({'ms': [1.0]}), flush=True) for line in sys.stdin]"
        self.assertEqual(self.contestant(echo).run(1), [1.0])

    def test_a_crash_is_a_reason(self):
        self.assertEqual(self.failure("import os; input(); os.abort()"), "ended by SIGABRT")
        self.assertEqual(self.failure("import sys; input(); sys.exit(3)"), "ended with exit code 3")

    def test_silence_is_a_reason(self):
        self.assertEqual(self.failure("import time; time.sleep(60)", 0.1), "run took more than 0.1 s")

    def test_a_refusal_is_a_reason(self):
        refusal = "import json; input(); print(json.dumps({'error': 'no such operator'}))"
        self.assertEqual(self.failure(refusal), "no such operator")


class Tuning(unittest.TestCase):
    def test_the_first_point_as_fast_as_the_other_counts(self):
        curve = [[1.0, 9.0], [2.0, 5.0], [3.0, 4.0]]
        self.assertEqual(curves.seconds_to_reach(curve, 5.0), 2.0)
        self.assertEqual(curves.seconds_to_reach(curve, 100.0), 1.0)
        self.assertIsNone(curves.seconds_to_reach(curve, 3.0))

    def test_the_other_has_no_latency_until_every_task_runs(self):
        curve = curves.Curve([1, 2], minutes=60)
        curve.add(0, [0.5, None])
        curve.add(1, [0.25])
        curve.add(1, [None])
        self.assertEqual([point[1] for point in curve.points], [None, 1000.0, 1000.0])
        self.assertEqual(curve.trials, 4)

    def test_the_other_ends_when_time_is_up(self):
        curve = curves.Curve([1], minutes=0)
        with self.assertRaises(curves.TimeIsUp):
            curve.add(0, [1.0])


if __name__ == "__main__":
    unittest.main()
