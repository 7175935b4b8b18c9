"""Builds a wheel with CMake (PEP 517): module, program and configurations.

In the wheel the program and the configurations lie inside the package, as below an installation's
prefix: tactus/bin/tactus, tactus/share/tactus/configs.

    TACTUS_PIP_BUILD_DIR   where CMake builds (default: build/pip beside the sources); kept, so that
                           the next build is quick
    TACTUS_JOBS            compiler processes (default: number of cores)
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
NAME = "tactus"


def _project(key):
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    return re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE).group(1)


def _run(*command):
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout[-6000:])
        raise SystemExit(f"tactus: {command[0]} failed; what it said stands above")


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _metadata():
    return (
        "Metadata-Version: 2.1\n"
        f"Name: {NAME}\n"
        f"Version: {_project('version')}\n"
        f"Summary: {_project('description')}\n"
        f"Requires-Python: {_project('requires-python')}\n"
        "Requires-Dist: numpy\n"
        "License: Apache-2.0\n"
    )


def _build(prefix):
    build = os.environ.get("TACTUS_PIP_BUILD_DIR") or SOURCE / "build" / "pip"
    _run(
        "cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        "-DTACTUS_TESTS=OFF", "-DTACTUS_UNITY=ON", "-DTACTUS_PYTHON=ON",
        f"-DPython_EXECUTABLE={sys.executable}",
        "-DTACTUS_PYTHON_DIR=.", f"-DCMAKE_INSTALL_BINDIR={NAME}/bin",
        f"-DCMAKE_INSTALL_DATADIR={NAME}/share",
    )  # fmt: skip
    jobs = os.environ.get("TACTUS_JOBS") or str(os.cpu_count())
    _run("cmake", "--build", build, "-j", jobs, "--target", "tactus", "tactus_python")
    _run("cmake", "--install", build, "--prefix", prefix, "--component", "program")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _project("version")
    name = f"{NAME}-{version}-{_tag()}.whl"
    info = f"{NAME}-{version}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        _build(root)
        (root / info).mkdir()
        (root / info / "METADATA").write_text(_metadata(), encoding="utf-8")
        (root / info / "WHEEL").write_text(
            f"Wheel-Version: 1.0\nGenerator: tactus\nRoot-Is-Purelib: false\nTag: {_tag()}\n",
            encoding="utf-8",
        )
        record = []
        path = pathlib.Path(wheel_directory) / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
            for file in sorted(p for p in root.rglob("*") if p.is_file()):
                inside = file.relative_to(root).as_posix()
                data = file.read_bytes()
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
                record.append(f"{inside},sha256={digest.decode()},{len(data)}")
                wheel.write(file, inside)
            record.append(f"{info}/RECORD,,")
            wheel.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit(
        "tactus: the sources are the whole repository, there is no source package of the Python "
        "module alone; install from a checkout: python3 -m pip install ./firmware/python"
    )
