#!/usr/bin/env bash
# bean-price of beancount 2.3.5 rounds the prices that it fetches for a ledger to the number of decimals that most
# amounts of the ledger have in that currency: where they are whole, 0.2417 becomes 0. The same price asked for with -e
# has all digits. Version 2 of beancount has no option against it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
packages=(
  python3-beancount=2.3.5-2+b1 python3-bs4 python3-chardet python3-dateutil python3-lxml python3-magic python3-ply
  python3-six python3-soupsieve python3-bottle python3-pkg-resources libmagic1
)
apt-get download "${packages[@]}" >/dev/null 2>&1 || { apt-get update && apt-get download "${packages[@]}"; } >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(echo "$folder"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH
# -S: no other packages of this machine.
bean_price() {
  PYTHONPATH=$folder:$folder/usr/lib/python3/dist-packages /usr/bin/python3 -S -W ignore \
    -c 'from beancount.prices.price import main; main()' --no-cache "$@"
}
cat >coin.py <<'PYTHON'
import datetime
from decimal import Decimal
from beancount.prices import source

class Source(source.Source):
    def get_latest_price(self, ticker):
        return source.SourcePrice(Decimal("0.2417"), datetime.datetime(2026, 11, 19, tzinfo=datetime.timezone.utc), "USD")
PYTHON
# A ledger that bought 100 coins at that price.
ledger() {
  cat <<LEDGER
2026-01-01 commodity COIN
  price: "USD:coin/COIN"
2026-01-01 open Assets:Coins
2026-01-01 open Assets:Cash
2026-01-05 * "coins"
  Assets:Coins  100 COIN {$1 USD}
  Assets:Cash
LEDGER
}
PYTHONPATH=usr/lib/python3/dist-packages /usr/bin/python3 -S -c 'import beancount; print("beancount", beancount.__version__)'

expect() {
  printf '\n%s\n%s\n' "$1" "$2"
  [ "$2" = "$3" ] || { printf 'CHANGED, before it was:\n%s\n' "$3"; exit 1; }
}
price() { tr -s ' ' | cut -d ' ' -f 3-; }
expect "Asked for with -e" "$(bean_price -e USD:coin/COIN | price)" "COIN 0.2417 USD"
ledger 0.20 >cents.beancount
expect "For a ledger whose amounts have cents" "$(bean_price cents.beancount | price)" "COIN 0.24 USD"
ledger 1 >whole.beancount
expect "For a ledger whose amounts are whole dollars" "$(bean_price whole.beancount | price)" "COIN 0 USD"
