#!/bin/bash
# KMyMoney's helper for Finance::Quote pads the month and the day by their value, not by their length. Finance::Quote
# writes 08/05/2026, which already has two digits, and the helper makes 2026-008-005 of it. A 9 without a zero stays as it is.
set -euo pipefail

version=5.1.3-1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download "kmymoney-common=$version" >/dev/null 2>&1
dpkg -x kmymoney-common_*.deb package
script=package/usr/share/kmymoney/misc/financequote.pl

# A quote in the form of Finance::Quote, whose dates are MM/DD/YYYY, without the network.
mkdir -p perl/Finance
cat >perl/Finance/Quote.pm <<'PERL'
package Finance::Quote;
sub new { return bless {}, shift }
sub set_currency { }
sub timeout { }
sub failover { }
sub fetch {
    my ($self, $source, $symbol) = @_;
    return ("$symbol$;success" => 1, "$symbol$;last" => '341.15', "$symbol$;date" => $ENV{QUOTE_DATE});
}
1;
PERL

echo "kmymoney-common $version"
while read -r given expected; do
  seen=$(QUOTE_DATE=$given perl -Iperl "$script" source AAPL)
  echo "$given -> $seen"
  [ "$seen" = "\"AAPL\",\"$expected\",\"341.15\"" ] || { echo "it changed: expected $expected" >&2; exit 1; }
done <<'DATES'
11/20/2026 2026-11-20
08/05/2026 2026-008-005
09/09/2026 2026-09-09
9/9/2026 2026-9-9
DATES
