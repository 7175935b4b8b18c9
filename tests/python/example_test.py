"""The example prints the figures that it states."""

import os
import subprocess
import sys
import tempfile
import unittest

import tactus

EXAMPLE = os.path.join(os.environ["TACTUS_SOURCE"], "firmware/examples/python/resnet20.py")


class Example(unittest.TestCase):
    def test_runs_and_gives_its_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, EXAMPLE, folder], capture_output=True, text=True
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("744591 cycles", done.stdout)
            try:
                import matplotlib  # noqa: F401
            except ImportError:
                self.assertIn("matplotlib is not installed", done.stdout)
            else:
                for name in ("latency.png", "architectures.png"):
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        self.assertEqual(file.read(4), b"\x89PNG")


if __name__ == "__main__":
    assert tactus
    unittest.main()
