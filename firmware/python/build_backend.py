"""Builds a wheel with CMake (PEP 517): module, program and configurations.

The build uses the build folder of ./tactus, so that nothing is built twice. If that folder is for
another Python interpreter, the build uses a folder of its own, build/pip. In the wheel the program
and the configurations lie inside the package, as below an installation's prefix: tactus/bin/tactus,
tactus/share/tactus/configs.

    TACTUS_PIP_BUILD_DIR   where CMake builds, in place of these two folders
    TACTUS_BUILD_DIR       where ./tactus builds (default: build/release beside the sources)
    TACTUS_JOBS            compiler processes (default: number of cores)
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent

# Python has stored the compiled form of this file beside it. A build leaves nothing in the checkout.
if __spec__ is not None and __spec__.cached:
    pathlib.Path(__spec__.cached).unlink(missing_ok=True)
    try:
        pathlib.Path(__spec__.cached).parent.rmdir()
    except OSError:  # other files are in it, or it is not there
        pass
SOURCE = HERE.parent.parent
NAME = "tactus"


def _find(pattern, path):
    return re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE).group(1)


def _project(key):
    return _find(rf'^{key} = "(.*)"$', HERE / "pyproject.toml")


def _version():
    return _find(r"^project\(tactus VERSION (\S+)", SOURCE / "CMakeLists.txt")


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
        f"Version: {_version()}\n"
        f"Summary: {_project('description')}\n"
        f"Requires-Python: {_project('requires-python')}\n"
        "Requires-Dist: numpy\n"
        "License: Apache-2.0\n"
    )


def _cache(build):
    """Values in CMake's cache of a build folder; empty if CMake has not configured the folder."""
    try:
        text = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    return dict(re.findall(r"^([^#/\s][^:]*):\w+=(.*)$", text, re.MULTILINE))


def _is_for_this_interpreter(cache):
    path = cache.get("Python_EXECUTABLE") or "/usr/bin/python3"  # CMakeLists.txt tries this first
    return os.path.realpath(path) == os.path.realpath(sys.executable)


def _folder():
    named = os.environ.get("TACTUS_PIP_BUILD_DIR")
    if named:
        return pathlib.Path(named)
    shared = pathlib.Path(os.environ.get("TACTUS_BUILD_DIR") or SOURCE / "build" / "release")
    cache = _cache(shared)
    if not cache:
        fits = not shared.exists()
    else:
        fits = (
            cache.get("CMAKE_HOME_DIRECTORY") == str(SOURCE)
            and cache.get("CMAKE_BUILD_TYPE") == "Release"
            and cache.get("TACTUS_SANITIZE") == "OFF"
            and os.access(shared, os.W_OK)
        )
    return shared if fits and _is_for_this_interpreter(cache) else SOURCE / "build" / "pip"


def _configure(build):
    cache = _cache(build)
    values = []
    if cache.get("TACTUS_PYTHON") != "ON":
        values.append("-DTACTUS_PYTHON=ON")
    if not _is_for_this_interpreter(cache):
        values.append(f"-DPython_EXECUTABLE={sys.executable}")
    if not cache:
        values += ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTACTUS_UNITY=ON"]
        values.append("-DTACTUS_TESTS=OFF")
    if not values:
        return
    try:
        _run("cmake", "-S", SOURCE, "-B", build, *values)
    except SystemExit:
        if cache.get("TACTUS_PYTHON") == "OFF":  # as before, so that ./tactus can use the folder
            subprocess.run(["cmake", "-DTACTUS_PYTHON=OFF", str(build)], capture_output=True)
        raise


def _build(wheel):
    """Builds and installs, and arranges the installed files in the folder of the wheel."""
    build = _folder()
    _configure(build)
    jobs = os.environ.get("TACTUS_JOBS") or str(os.cpu_count())
    _run("cmake", "--build", build, "-j", jobs, "--target", "tactus", "tactus_python")
    cache = _cache(build)
    package = wheel / NAME
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder)
        _run("cmake", "--install", build, "--prefix", prefix, "--component", "program")
        shutil.copytree(prefix / cache["TACTUS_PYTHON_DIR"] / NAME, package)
        (package / "bin").mkdir()
        shutil.copy2(prefix / cache["CMAKE_INSTALL_BINDIR"] / NAME, package / "bin")
        data = cache["CMAKE_INSTALL_DATADIR"] or cache["CMAKE_INSTALL_DATAROOTDIR"]
        shutil.copytree(prefix / data / NAME, package / "share" / NAME)
    location = (HERE / NAME / "_location.py.in").read_text(encoding="utf-8")
    location = location.replace("@TACTUS_PROGRAM_FROM_PACKAGE@", f"bin/{NAME}")
    (package / "_location.py").write_text(location, encoding="utf-8")


def _build_editable(wheel):
    """Builds, and makes a package of links to the sources and to the module in the build folder, which
    the wheel names by its path."""
    build = _folder()
    _configure(build)
    jobs = os.environ.get("TACTUS_JOBS") or str(os.cpu_count())
    _run("cmake", "--build", build, "-j", jobs, "--target", "tactus", "tactus_python")
    package = build.resolve() / "editable" / NAME
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    built = build.resolve() / "firmware" / "python" / NAME
    for file in [*sorted((HERE / NAME).glob("*.py*")), HERE / NAME / "py.typed"]:
        if file.suffix != ".in":
            (package / file.name).symlink_to(file)
    for file in built.glob("_native*.so"):
        (package / file.name).symlink_to(file)
    program = os.path.relpath(build.resolve() / "firmware" / NAME, package)
    location = (HERE / NAME / "_location.py.in").read_text(encoding="utf-8")
    location = location.replace("@TACTUS_PROGRAM_FROM_PACKAGE@", program)
    (package / "_location.py").write_text(location, encoding="utf-8")
    (wheel / f"{NAME}.pth").write_text(f"{package.parent}\n", encoding="utf-8")


def _write_wheel(wheel_directory, make):
    version = _version()
    name = f"{NAME}-{version}-{_tag()}.whl"
    info = f"{NAME}-{version}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        make(root)
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


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, _build)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """For pip install -e (PEP 660): changes of the Python files are seen at once, those of the C++
    sources after another build of the folder."""
    return _write_wheel(wheel_directory, _build_editable)


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit(
        "tactus: the sources are the whole repository, there is no source package of the Python "
        "module alone; install from a checkout: python3 -m pip install ./firmware/python"
    )
