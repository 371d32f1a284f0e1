#!/usr/bin/env bash
# autocannon: reads of a card and of a board, plain and compressed, and new cards, on a board that it makes and deletes again.
#
#   SWITCHBOARD_URL=https://boards.example.org SWITCHBOARD_TOKEN=swb_… bench/autocannon.sh
#   DURATION=30 CONNECTIONS=64 CARDS=500 bench/autocannon.sh
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
url=${SWITCHBOARD_URL:-http://127.0.0.1:8000}
: "${SWITCHBOARD_TOKEN:?Set it to an API key with the scope write.}"
export SWITCHBOARD_URL=$url SWITCHBOARD_TOKEN

switchboard() { node dist/program/main.js "$@"; }
board=$(switchboard seed --boards 1 --cards "${CARDS:-200}")
# The command line has no board delete: nobody should delete a board by a slip.
trap 'curl -sf -X DELETE -H @- "$url/boards/$board" <<<"Authorization: Bearer $SWITCHBOARD_TOKEN"' EXIT
card=$(switchboard card list "$board" | awk 'NR == 2 { print $1 }')
column=$(switchboard card show "$card" --json | sed 's/.*"column_id":"\([^"]*\)".*/\1/')

load() {
  printf '\n%s\n' "$1"
  shift
  npx --no-install autocannon --no-progress --duration "${DURATION:-10}" --connections "${CONNECTIONS:-16}" \
    -H "Authorization=Bearer $SWITCHBOARD_TOKEN" "$@"
}
load 'GET card' "$url/cards/$card"
load 'GET board' "$url/boards/$board"
load 'GET board, compressed' -H 'Accept-Encoding=gzip' "$url/boards/$board"
load 'POST card' --method POST -H 'Content-Type=application/json' --body '{"title":"A new card"}' "$url/boards/$board/columns/$column/cards"
