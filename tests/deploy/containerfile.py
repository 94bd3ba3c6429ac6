"""The Containerfile's instructions, and a way to run those of its first stage without a container engine."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "deploy" / "Containerfile"


@dataclass
class Stage:
    """One `FROM` and what follows it: instructions as (word, rest)."""

    image: str
    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def last(self, word: str) -> str:
        """The rest of the last instruction of this kind."""
        return [rest for kind, rest in self.steps if kind == word][-1]


def stages() -> list[Stage]:
    """The stages of the Containerfile."""
    found: list[Stage] = []
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            found.append(Stage(image, name))
        elif word:
            found[-1].steps.append((word, rest))
    return found


def sent_to_the_engine() -> set[str]:
    """The tracked files that `.containerignore` lets into the build."""
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").splitlines()
    wanted = [line[1:] for line in ignored if line.startswith("!")]
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {
        name
        for name in tracked.splitlines()
        if any(name == each or fnmatch.fnmatch(name, f"{each}/*") for each in wanted)
    }


@dataclass
class Outside:
    """Runs a stage's instructions below `folder`, which stands in for the container's root."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"

    def inside(self, text: str) -> str:
        """A command with the container's own paths moved below the folder."""
        return re.sub(r"(?<![\w.$}])/(build|uv|opt/afterdrop)(?=[/\s:]|$)", rf"{self.folder}/\1", text)

    def run(self, stage: Stage) -> None:
        """Run COPY, ENV, WORKDIR and RUN as an engine would."""
        for word, rest in stage.steps:
            if word == "WORKDIR":
                self.workdir = self.inside(rest)
                Path(self.workdir).mkdir(parents=True, exist_ok=True)
            elif word == "ENV":
                self.environment |= dict(pair.split("=", 1) for pair in self.inside(rest).split())
            elif word == "COPY":
                *sources, target = rest.split()
                for source in sources:
                    self._copy(source, Path(self.workdir) / target)
            elif word == "RUN":
                self._sh(self.inside(rest))

    def _copy(self, source: str, target: Path) -> None:
        names = [name for name in sent_to_the_engine() if name == source or name.startswith(f"{source}/")]
        assert names, f"COPY {source}: not among what .containerignore lets through"
        for name in names:
            below = target / name.removeprefix(f"{source}/") if name != source else target / name
            below.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, below)

    def _sh(self, command: str) -> None:
        done = subprocess.run(
            ["sh", "-ec", command], cwd=self.workdir, env=image_environment() | self.environment,
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stderr}"


def image_environment() -> dict[str, str]:
    """What the base image has: a Python without packages on the path. A mirror's address is passed on."""
    plain: Mapping[str, str] = {
        key: value
        for key, value in os.environ.items()
        if key.startswith(("PIP_", "UV_", "SSL_", "HTTP", "http", "NO_PROXY", "no_proxy", "REQUESTS_"))
    }
    return {**plain, "PATH": f"{sys.base_prefix}/bin:/usr/bin:/bin", "HOME": "/tmp"}


def words(rest: str) -> list[str]:
    """The words of an instruction in its JSON form."""
    found: list[str] = json.loads(rest[rest.index("[") :])
    return found
