#!/usr/bin/env bash
# hledger 1.25 and ledger 3.3.0 read the same price directive as another number by the way in which it reaches a journal
# with a decimal comma. From a file of its own, 0.236 EUR is 0.236. Included by the journal, it is 236, and hledger reads
# 341.15 as 34115. Neither says a word. A line decimal-mark in the included file makes hledger read it right, and ledger
# passes over that line. ledger reads 0,2360 right in every case, even in a journal with points.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
packages=(
  hledger=1.25-2+b5 libffi8 libtinfo6
  ledger=3.3.0-3 libboost-filesystem1.74.0=1.74.0+ds1-21 libboost-iostreams1.74.0=1.74.0+ds1-21
  libboost-python1.74.0=1.74.0+ds1-21 libboost-regex1.74.0=1.74.0+ds1-21 libgmp10 libicu72 libmpfr6 libpython3.11
)
apt-get download "${packages[@]}" >/dev/null 2>&1 || { apt-get update && apt-get download "${packages[@]}"; } >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(echo "$folder"/usr/lib/*-linux-gnu):$(echo "$folder"/lib/*-linux-gnu)
export LD_LIBRARY_PATH LANG=C.UTF-8
hledger() { ./usr/bin/hledger "$@" balance assets:coins --value=2026-11-30,EUR -N; }
ledger() { ./usr/bin/ledger --args-only "$@" balance assets:coins --exchange EUR --now 2026-11-30; }
./usr/bin/hledger --version
./usr/bin/ledger --version | head -n 1

transactions='2026-01-05 coins
  assets:coins  1000 "COIN"
  assets:cash   1.234,56 EUR
  equity:open
'
printf 'commodity 1.000,00 EUR\n%s' "$transactions" >hledger.journal
printf '%s' "$transactions" >ledger.journal
for program in hledger ledger; do printf 'include %s.journal\ninclude prices\n' "$program" >"all-$program.journal"; done
prices() { printf '%sP 2026-11-19 "COIN" %s EUR\n' "${2:-}" "$1" >prices; }
expect() {
  printf '%s: %s\n' "$1" "$(echo $2)"
  [ "$(echo $2)" = "$3 EUR assets:coins" ] || { printf 'CHANGED, before it was: %s\n' "$3"; exit 1; }
}

printf '\nA thousand coins at 0.236 EUR\n'
prices 0.236
expect "hledger, a file of its own" "$(hledger -f hledger.journal -f prices)" 236,00
expect "hledger, included" "$(hledger -f all-hledger.journal)" 236.000,00
expect "ledger, a file of its own" "$(ledger -f ledger.journal --price-db prices)" 236,00
expect "ledger, included" "$(ledger -f all-ledger.journal)" 236.000,00
printf '\nA thousand coins at 341.15 EUR\n'
prices 341.15
expect "hledger, included" "$(hledger -f all-hledger.journal)" 34.115.000,00
prices 341.15 $'decimal-mark .\n'
expect "hledger, included with decimal-mark" "$(hledger -f all-hledger.journal)" 341.150,00
expect "ledger, a file of its own with decimal-mark" "$(ledger -f ledger.journal --price-db prices)" 341.150,00
printf '\nA thousand coins at 0,2360 EUR\n'
prices 0,2360
expect "ledger, included" "$(ledger -f all-ledger.journal)" 236,00
expect "ledger, a file of its own" "$(ledger -f ledger.journal --price-db prices)" 236,00
sed 's/1.234,56/1,234.56/' ledger.journal >points.journal
expect "ledger, a file of its own, and a journal with points" "$(ledger -f points.journal --price-db prices)" 236.00
