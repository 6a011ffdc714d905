#!/usr/bin/env bash
# Installs the package as docs/python.md says, with an index that does not exist, and uses it from elsewhere.
# Usage: install.sh PYTHON CHECKOUT
set -euo pipefail
python=$1
checkout=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_INDEX_URL=http://127.0.0.1:9/ PIP_RETRIES=0 PIP_TIMEOUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONPATH

if ! "$python" -c 'import pip, venv' 2>/dev/null; then
    echo "no pip: skipped"
    exit 77
fi
"$python" -m venv --without-pip --system-site-packages "$work/venv" # the system's pip
installed=$work/venv/bin/python
before=$(cd "$checkout" && find python -not -path '*/__pycache__*' | sort)
"$installed" -m pip install --quiet "$checkout/python"
after=$(cd "$checkout" && find python -not -path '*/__pycache__*' | sort)
[ "$before" = "$after" ] || { echo "pip left files in python/" && exit 1; }

release=$(sed -n 's/^#define RB_VERSION "\(.*\)"$/\1/p' "$checkout/schedules/include/roundabout.h")
cd "$work"
"$installed" -c "
import roundabout, importlib.metadata
assert roundabout.__file__.startswith('$work'), roundabout.__file__
assert roundabout.__version__ == importlib.metadata.version('roundabout') == '$release'
assert roundabout.verify(p=range(1, 9), algorithm='circulant')['wrong'] == 0
assert roundabout.core.Plan(p=9, n=4).verify()
"
# A source archive has all that is needed, too.
"$installed" - "$checkout/python" <<'END'
import os, sys
sys.path.insert(0, sys.argv[1] + "/backend")
import roundabout_build
roundabout_build.build_sdist(".")
END
tar -xf roundabout-"$release".tar.gz
PYTHONPATH=roundabout-$release "$python" -c "import roundabout; assert roundabout.__version__ == '$release'"
PYTHONPYCACHEPREFIX=$work/cache "$python" -W error -m compileall -q "$checkout/python"
