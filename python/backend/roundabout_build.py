"""Builds the package: the hooks that pip calls (PEP 517 and PEP 660).

A wheel of pure Python is a zip file with three files of metadata, so this backend needs no setuptools, and pip
needs no network to get one. The release is that of the project, in roundabout.h of the checkout above this folder.
"""

import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = os.path.join(HERE, "roundabout")
RELEASE_FILE = "_release.py"  # in wheels and source archives, which have no roundabout.h
TIME = (1980, 1, 1, 0, 0, 0)  # the same sources make the same bytes

METADATA = """\
Metadata-Version: 2.1
Name: roundabout
Version: {release}
Summary: Runs Roundabout, and makes and verifies its plans, from Python
License: BSD-3-Clause
Requires-Python: >=3.9
Provides-Extra: frames
Requires-Dist: pandas; extra == 'frames'
Description-Content-Type: text/markdown

{description}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: roundabout_build
Root-Is-Purelib: true
Tag: py3-none-any
"""


def release():
    """The project's release."""
    try:
        with open(os.path.join(PACKAGE, RELEASE_FILE), encoding="utf-8") as file:
            return re.search(r'"(.+)"', file.read()).group(1)
    except FileNotFoundError:
        pass
    path = os.path.join(os.path.dirname(HERE), "schedules", "include", "roundabout.h")
    try:
        with open(path, encoding="utf-8") as file:
            return re.search(r'#define RB_VERSION "([0-9.]+)"', file.read()).group(1)
    except FileNotFoundError:
        raise SystemExit(
            path + ": not found, so the release is not known: install from a checkout, with pip 21.3 or later"
        ) from None


def _release_file():
    return 'RELEASE = "%s"\n' % release()


def _metadata():
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        return METADATA.format(release=release(), description=file.read())


def _modules():
    return sorted(
        name
        for name in os.listdir(PACKAGE)
        if (name.endswith(".py") and name != RELEASE_FILE) or name == "py.typed"
    )


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _write_wheel(directory, files):
    info = "roundabout-%s.dist-info" % release()
    files = dict(files)
    files[info + "/METADATA"] = _metadata().encode()
    files[info + "/WHEEL"] = WHEEL.encode()
    record = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append("%s,sha256=%s,%d" % (name, digest, len(content)))
    record.append(info + "/RECORD,,")
    files[info + "/RECORD"] = ("\n".join(record) + "\n").encode()
    wheel = "roundabout-%s-py3-none-any.whl" % release()
    with zipfile.ZipFile(os.path.join(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {"roundabout/" + name: _read(os.path.join(PACKAGE, name)) for name in _modules()}
    files["roundabout/" + RELEASE_FILE] = _release_file().encode()
    return _write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {"roundabout.pth": (HERE + "\n").encode()})


def build_sdist(sdist_directory, config_settings=None):
    name = "roundabout-" + release()
    files = {"roundabout/" + module: _read(os.path.join(PACKAGE, module)) for module in _modules()}
    files["roundabout/" + RELEASE_FILE] = _release_file().encode()
    files["backend/roundabout_build.py"] = _read(os.path.abspath(__file__))
    for other in ("README.md", "pyproject.toml"):
        files[other] = _read(os.path.join(HERE, other))
    files["PKG-INFO"] = _metadata().encode()
    archive = name + ".tar.gz"
    with tarfile.open(os.path.join(sdist_directory, archive), "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for path, content in files.items():
            entry = tarfile.TarInfo(name + "/" + path)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return archive
