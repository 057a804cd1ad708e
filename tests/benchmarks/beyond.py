"""Write ``data/scaling_curves/extrap.csv``: what Extra-P 4.2.5 forecasts where our forecasts are judged.

Each curve loses its last one, two and three points; Extra-P gets the rest where five points or more are left, which it
needs, and forecasts the lost ones by its default modeler. ``make bench`` makes its environment.
"""

import csv
import json
import subprocess
from pathlib import Path

from dominoperf.study.forecast_calibration import corpus, curves_without_last_points

ROOT = Path(__file__).parent.parent.parent
SCRIPT = Path(__file__).with_name("extrap_forecasts.py")


def main():
    """Ask Extra-P, and write a row for each dropped point."""
    subprocess.run(["sh", str(ROOT / ".ci" / "venv-extrap")], check=True)
    cuts = curves_without_last_points(corpus())
    asked = json.dumps([{"x": cut.x.tolist(), "y": cut.y.tolist(), "at": cut.at.tolist()} for cut in cuts])
    python = ROOT / ".venv-extrap" / "bin" / "python"
    done = subprocess.run([str(python), str(SCRIPT)], input=asked, capture_output=True, text=True, check=True)
    path = ROOT / "data" / "scaling_curves" / "extrap.csv"
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["source", "curve", "dropped", "x", "by_work", "by_rate"])
        for cut, found in zip(cuts, json.loads(done.stdout), strict=True):
            for at, work, rate in zip(cut.at, *(found or {"N/X": [], "X": []}).values(), strict=found is not None):
                table.writerow([cut.source, cut.curve, cut.dropped, f"{at:g}", f"{work:.6g}", f"{rate:.6g}"])


if __name__ == "__main__":
    main()
