#!/usr/bin/env bash
# Runs the tests of the page: run.sh FOLDER, where FOLDER holds node_modules (the build folder's web/).
# Exit code 77 (ctest: skipped) when something they need is missing, with its name.
set -euo pipefail
page=$1
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
skip() { echo "left out: the tests of the page in a browser, because $*"; exit 77; }
[[ -n ${MSD_NODE:-} && ${MSD_NODE} != *NOTFOUND && -x ${MSD_NODE} ]] || skip "node is missing (Debian: nodejs)"
[[ -d $page/node_modules/playwright-core ]] || skip "playwright-core is missing (npm could not install it)"
export MSD_CHROMIUM=${MSD_CHROMIUM:-/usr/bin/chromium}
[[ -x $MSD_CHROMIUM ]] || skip "chromium is missing (Debian: chromium)"
# Modules are found from where a file lies, so the tests run beside node_modules.
mkdir -p "$page/test"
cp "$here"/*.mjs "$page/test/"
cd "$page"
exec "$MSD_NODE" --test --test-concurrency=1 --test-reporter=spec test/*.test.mjs
