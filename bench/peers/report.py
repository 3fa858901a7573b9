"""Rows of a run, as a table and as JSON."""

import math
import statistics

OURS = "tessera"


def percentile(values, share):
    """The smallest value that at least this share of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def row_of(model, contestant):
    times = contestant.times_ms
    row = {
        "model": model,
        "system": contestant.system,
        "version": contestant.version,
        "median_ms": statistics.median(times) if times else None,
        "p90_ms": percentile(times, 0.9) if times else None,
        "min_ms": min(times) if times else None,
        "max_rel_error": contestant.error,
        "compile_s": contestant.compile_s,
        "peak_mb": contestant.peak_mb,
    }
    if contestant.failure:
        row["failure"] = contestant.failure
    return row


def geomean_ratios(rows):
    """Of each other system: ours over theirs, over the models that both ran."""
    medians = {(row["model"], row["system"]): row["median_ms"] for row in rows}
    ratios = {}
    for (model, system), theirs in medians.items():
        ours = medians.get((model, OURS))
        if system != OURS and ours and theirs:
            ratios.setdefault(system, []).append(ours / theirs)
    return {system: statistics.geometric_mean(values) for system, values in ratios.items()}


def geomean_over_best(rows):
    """How many times as fast as the fastest other system ours is, over the models that ours and another ran."""
    others, ours = {}, {}
    for row in rows:
        if row["median_ms"]:
            (ours if row["system"] == OURS else others).setdefault(row["model"], []).append(row["median_ms"])
    ratios = [min(others[model]) / min(ours[model]) for model in ours if model in others]
    return statistics.geometric_mean(ratios) if ratios else None


def shown(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def error_shown(value):
    return "-" if value is None else f"{value:.1e}"


HEADER = (
    f"{'model':<20} {'system':<12} {'median ms':>10} {'p90':>9} {'min':>9} {'rel error':>9} "
    f"{'compile s':>9} {'peak MB':>8} {'ours/it':>8}"
)


def line_of(row, ours_ms):
    ratio = ours_ms / row["median_ms"] if ours_ms and row["median_ms"] else None
    line = (
        f"{row['model']:<20} {row['system']:<12} {shown(row['median_ms'], 3):>10} "
        f"{shown(row['p90_ms'], 3):>9} {shown(row['min_ms'], 3):>9} {error_shown(row['max_rel_error']):>9} "
        f"{shown(row['compile_s'], 2):>9} {shown(row['peak_mb'], 0):>8} {shown(ratio, 2):>8}"
    )
    return f"{line}  {row['failure']}" if "failure" in row else line


def table_of(rows):
    """The lines of one model."""
    ours_ms = next((row["median_ms"] for row in rows if row["system"] == OURS), None)
    return "\n".join(line_of(row, ours_ms) for row in rows)
