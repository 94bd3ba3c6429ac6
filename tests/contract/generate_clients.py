"""Makes the generated parts of `clients/` from the API's description: `python -m tests.contract.generate_clients`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.contract.narrowing import present

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ROOT / ".tools" / "clients" / "node_modules"
PYTHON: Final = Path("python/src/afterdrop_client/models.py")
TYPESCRIPT: Final = Path("typescript/src/schema.d.ts")
_MODELS: Final = (
    *("--input", "openapi.json", "--input-file-type", "openapi", "--output-model-type", "typing.TypedDict"),
    *("--target-python-version", "3.11", "--use-standard-collections", "--use-union-operator"),
    *("--use-schema-description", "--disable-timestamp", "--output", "models.py"),
    *("--formatters", "builtin", "--openapi-scopes", "schemas"),
)


def generated() -> dict[Path, str]:
    """The generated files by their paths in `clients/`."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "openapi.json").write_text(json.dumps(present()), encoding="utf-8")
        _run(work, str(Path(sys.executable).parent / "datamodel-codegen"), *_MODELS)
        _run(work, "openapi-typescript", "openapi.json", "--default-non-nullable=false", "-o", "schema.d.ts")
        return {
            PYTHON: (work / "models.py").read_text(encoding="utf-8"),
            TYPESCRIPT: (work / "schema.d.ts").read_text(encoding="utf-8"),
        }


def _run(folder: Path, *command: str) -> None:
    path = f"{PACKAGES / '.bin'}:{os.environ['PATH']}"
    subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path}, check=True, stdout=subprocess.DEVNULL
    )


if __name__ == "__main__":
    for name, text in generated().items():
        (ROOT / "clients" / name).write_text(text, encoding="utf-8")
        print(f"wrote clients/{name}")
