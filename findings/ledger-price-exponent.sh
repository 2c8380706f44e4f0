#!/usr/bin/env bash
# ledger 3.3.0 reads the price `4.3e-7 USD` of a price file as 4.3 of a currency `e`, with status 0 and without a word.
# hledger 1.25 reads the same line as 0.00000043 USD. A program that writes prices for both must write no exponent.
# Needs apt-get and dpkg with a Debian 12 archive. Nothing is installed outside a temporary folder.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq ledger=3.3.0-3 hledger=1.25-2+b5 \
  libboost-filesystem1.74.0 libboost-iostreams1.74.0 libboost-python1.74.0 libboost-regex1.74.0 \
  libmpfr6 libgmp10 libpython3.11 libicu72 >/dev/null
for package in *.deb; do dpkg -x "$package" root; done
LD_LIBRARY_PATH="$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib"
export LD_LIBRARY_PATH

cat >prices.journal <<'END'
P 2026-11-19 "COIN" 4.3e-7 USD

2026-11-19 coins
  assets  10000000 "COIN"
  equity
END

"$folder/root/usr/bin/ledger" --version | head -n 1
"$folder/root/usr/bin/hledger" --version
by_ledger=$("$folder/root/usr/bin/ledger" -f prices.journal balance assets -V --now 2026-11-20 | tr -s ' ')
by_hledger=$("$folder/root/usr/bin/hledger" -f prices.journal balance assets --value=2026-11-20 -N | tr -s ' ')
echo "ledger: $by_ledger"
echo "hledger: $by_hledger"
[ "$by_ledger" = " e43000000 assets" ]
[ "$by_hledger" = " 4.30000000 USD assets" ]
echo "Still so: ledger values 10,000,000 coins with 43,000,000 e, hledger with 4.3 USD."
