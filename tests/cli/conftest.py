"""Lets the tests of this folder import `command_calls`: pytest's importlib mode does not add the folder itself."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
