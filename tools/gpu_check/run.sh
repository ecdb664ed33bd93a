#!/bin/bash
# Checks the package on this machine's GPU: `bash run.sh RESULTS`, by default $OUT, else gpu_check_results.
# SECONDS_IN_ALL=470 is its limit. PYTHON=python3 has NumPy, and may have pytest, CuPy, torch, JAX and Numba.
set -u
results=$(realpath -m "${1:-${OUT:-gpu_check_results}}")
mkdir -p "$results"
: >"$results/log.txt"
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
# On sys.path, a source tree in the current directory would shadow the package.
export PYTHONPATH=$PWD/packages:$PWD/tests/python/helpers${PYTHONPATH:+:$PYTHONPATH}
export PYTHONSAFEPATH=1 PYTHONUNBUFFERED=1
for python in ${PYTHON:-python3 python3.11 python3.12 python3.13 python3.14} ""; do
  [ -n "$python" ] && "$python" -c "import numpy_plugin" 2>>"$results/log.txt" && break
done
[ -n "$python" ] && exec "$python" -m gpu_check run "$results"
echo "no Python on PATH imports this package:"
tail -n 40 "$results/log.txt"
exit 1
