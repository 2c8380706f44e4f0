#!/usr/bin/env bash
# ledger 3.3.0 takes the decimals in which it shows a currency from amounts of the journal, never from prices. Where no
# amount has cents, a holding worth 0.43 USD is 0, and `balance` leaves its account out without a word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
packages=(
  ledger=3.3.0-3 libboost-filesystem1.74.0=1.74.0+ds1-21 libboost-iostreams1.74.0=1.74.0+ds1-21
  libboost-python1.74.0=1.74.0+ds1-21 libboost-regex1.74.0=1.74.0+ds1-21 libgmp10 libicu72 libmpfr6 libpython3.11
)
apt-get download "${packages[@]}" >/dev/null 2>&1 || { apt-get update && apt-get download "${packages[@]}"; } >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(echo "$folder"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH
ledger() { ./usr/bin/ledger --args-only -f "$1" balance assets --market --now 2026-11-30; }
./usr/bin/ledger --version | head -n 1

expect() {
  printf '\n%s\n%s\n' "$1" "$2"
  [ "$2" = "$3" ] || { printf 'CHANGED, before it was:\n%s\n' "$3"; exit 1; }
}
coins='2026-01-05 coins
  assets:coins  1000000 "PEPE"
  equity:open
P 2026-11-19 "PEPE" 0.00000043 USD
'
cents='2026-01-06 money
  assets:cash  1.00 USD
  equity:open
'
printf '%s' "$coins" >prices.ledger
expect "A million coins at 0.00000043 USD, no amount with cents: nothing is shown" "$(ledger prices.ledger)" ""
printf '%s' "$cents$coins" >cents.ledger
expect "The same with one dollar of cash: 0.43 USD" "$(ledger cents.ledger | grep coins)" "            0.43 USD    coins"
