"""What a systemd installation runs beside its units."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.deploy.containerfile import ROOT

UNITS = ROOT / "deploy" / "systemd"
# What systemd.exec(5) reads from each line.
READ = {
    "# the deployment's secrets \\\n": {},
    "AFTERDROP_DATABASE_URL=postgresql://ann:a$b`c@db/drops?sslmode=require&x=%2F\n": {
        "AFTERDROP_DATABASE_URL": "postgresql://ann:a$b`c@db/drops?sslmode=require&x=%2F"
    },
    'AFTERDROP_SECRET_KEYS="one key, another"  \r\n\r\n': {"AFTERDROP_SECRET_KEYS": "one key, another"},
    " ; a vendor's\n": {},
    "VENDOR_KEY = 'x=y#z \\n $x'\n": {"VENDOR_KEY": r"x=y#z \n $x"},
    'ESCAPED="a \\"b\\" \\\\ \\$x \\`y \\n é"\n': {"ESCAPED": 'a "b" \\ $x `y \\n é'},
    "BARE=back\\\\slash a\\ b \\ \t \n": {"BARE": "back\\slash a b  "},
    "DOLLAR=\"pa$$word\"'s own' end\n": {"DOLLAR": "pa$$words ownend"},
    "LATE=a\"b\" 'c'\n": {"LATE": "a\"b\" 'c'"},
    'LINES="one\\\ntwo\nthree"\n': {"LINES": "onetwo\nthree"},
    "GOES=on \\\n  there\n": {"GOES": "on   there"},
    "no assignment\n": {},
    "EMPTY=\n": {"EMPTY": ""},
    "BEHIND=a\\\\ \n": {"BEHIND": "a\\"},
    "QUOTE=it's\n": {"QUOTE": "it's"},
    "LAST=without an end of line": {"LAST": "without an end of line"},
}


def test_a_command_runs_with_the_units_environment(tmp_path: Path) -> None:
    """The wrapper, with its places in a folder and the user who runs this."""
    text = (UNITS / "afterdrop-unit").read_text(encoding="utf-8")
    for place in ("/etc/afterdrop", "/var/lib/afterdrop", "/opt/afterdrop/bin"):
        (tmp_path / place[1:]).mkdir(parents=True)
        text = text.replace(place, str(tmp_path / place[1:]))
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    wrapper = tmp_path / "afterdrop-unit"
    wrapper.write_text(text.replace("= afterdrop ]", f"= {user} ]"))
    shown = tmp_path / "opt" / "afterdrop" / "bin" / "afterdrop"
    shown.write_text(
        f"#!{sys.executable}\nimport json, os, sys\n"
        "print(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]))\n"
    )
    shown.chmod(0o755)
    (tmp_path / "etc" / "afterdrop" / "environment").write_text("".join(READ), newline="")
    words = ["account", "create", "a b@members.example", "$HOME"]
    done = subprocess.run(["sh", str(wrapper), *words], capture_output=True, text=True, check=True)
    given, folder, environ = json.loads(done.stdout)
    assert (given, folder) == (words, str(tmp_path / "var/lib/afterdrop"))
    wanted = {name: value for read in READ.values() for name, value in read.items()}
    assert {name: environ[name] for name in wanted} == wanted
    assert environ["AFTERDROP_SETTINGS"] == str(tmp_path / "etc/afterdrop/afterdrop.toml")
    (tmp_path / "etc" / "afterdrop" / "environment").write_text("$(touch x)=1\n")
    refused = subprocess.run(["sh", str(wrapper)], capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "not a variable" in refused.stderr


def test_the_wrapper_has_the_units_places_and_user() -> None:
    wrapper = (UNITS / "afterdrop-unit").read_text(encoding="utf-8")
    for unit in UNITS.glob("*.service"):
        text = unit.read_text(encoding="utf-8")
        [variables] = re.findall(r"^Environment=(.*)$", text, re.M)
        [command] = re.findall(r"^ExecStart=(\S+)", text, re.M)
        [user] = re.findall(r"^User=(.*)$", text, re.M)
        [file] = re.findall(r"^EnvironmentFile=-?(.*)$", text, re.M)
        assert f"export {variables}" in wrapper
        assert (
            f"exec {command} " in wrapper
            and f"--reuid={user} " in wrapper
            and f"environment={file}" in wrapper
        )
