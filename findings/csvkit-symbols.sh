#!/usr/bin/env bash
# csvkit 1.0.7 reads ticker symbols as other values: MAR as the first of March of the year 1, T and F as true and false.
# --no-inference turns the types off, but NA, NULL, NONE and N/A are still missing values: only --blanks keeps them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
packages=(
  python3-csvkit=1.0.7-1 python3-agate=1.6.3-2 python3-agatesql=0.5.8-2 python3-agateexcel=0.2.5-2
  python3-agatedbf=0.2.2-2 python3-babel python3-dbfread python3-et-xmlfile python3-isodate python3-jdcal
  python3-leather python3-lxml python3-olefile python3-openpyxl python3-parsedatetime python3-pkg-resources
  python3-pytimeparse python3-six python3-slugify python3-sqlalchemy python3-tz python3-unidecode python3-xlrd
  python-babel-localedata
)
apt-get download "${packages[@]}" >/dev/null 2>&1 || { apt-get update && apt-get download "${packages[@]}"; } >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
# -S: no other packages of this machine.
csvjson() {
  PYTHONPATH=$folder/usr/lib/python3/dist-packages /usr/bin/python3 -S -W ignore \
    -c 'from csvkit.utilities.csvjson import launch_new_instance; launch_new_instance()' "$@"
}
version=$(csvjson --version)
printf 'csvkit %s\n' "${version#* }"

expect() {
  printf '%s\n%s\n\n' "$1" "$2"
  [ "$2" = "$3" ] || { printf 'CHANGED, before it was:\n%s\n' "$3"; exit 1; }
}
printf 'symbol,price\nMAR,385.5\n' >month.csv
expect "MAR (Marriott)" "$(csvjson month.csv)" '[{"symbol": "0001-03-01", "price": 385.5}]'
printf 'symbol,price\nT,31.5\nF,17.5\n' >boolean.csv
expect "T (AT&T) and F (Ford)" "$(csvjson boolean.csv)" '[{"symbol": true, "price": 31.5}, {"symbol": false, "price": 17.5}]'
printf 'symbol,price\nNA,5.5\nNULL,6.5\nNONE,7.5\nN/A,8.5\n' >missing.csv
expect "NA, NULL, NONE and N/A with --no-inference" "$(csvjson --no-inference missing.csv)" \
  '[{"symbol": null, "price": "5.5"}, {"symbol": null, "price": "6.5"}, {"symbol": null, "price": "7.5"}, {"symbol": null, "price": "8.5"}]'
expect "The same with --blanks too" "$(csvjson --no-inference --blanks missing.csv)" \
  '[{"symbol": "NA", "price": "5.5"}, {"symbol": "NULL", "price": "6.5"}, {"symbol": "NONE", "price": "7.5"}, {"symbol": "N/A", "price": "8.5"}]'
