package Finance::Quote::Bourse;

# Prices of a bourse for Finance::Quote, which GnuCash reads. Save this file as Finance/Quote/Bourse.pm below a folder,
# and set PERL5LIB to that folder, FQ_LOAD_QUOTELET to "-defaults Bourse", BOURSE_URL to the address of the service,
# and BOURSE_LINK to a feed link. A program may give Finance::Quote->new(bourse => {URL => ..., LINK => ...}) instead.

use strict;
use warnings;
use URI;

our $VERSION = '1.0';

# The most symbols of one request.
my $MOST = 100;

sub methods { return (bourse => \&bourse); }

sub labels { return (bourse => [qw(symbol last date isodate currency method success errormsg)]); }

sub bourse {
    my ($quoter, @symbols) = @_;
    my $own  = $quoter->{module_specific_data}{bourse} // {};
    my $base = $own->{URL} // $ENV{BOURSE_URL} // 'http://127.0.0.1:8787';
    my $link = $own->{LINK} // $ENV{BOURSE_LINK} // '';
    my %info;
    while (my @some = splice @symbols, 0, $MOST) {
        # A comma would part one symbol into two.
        my @asked = grep { !/,/ } @some;
        my ($quotes, $error) = @asked ? _quotes($quoter, $base, $link, @asked) : {};
        for my $symbol (@some) {
            my ($price, $currency, $date) = @{$quotes->{_trim($symbol)} // []};
            $info{$symbol, 'symbol'}  = $symbol;
            $info{$symbol, 'method'}  = 'bourse';
            $info{$symbol, 'success'} = defined $price && $price ne '' ? 1 : 0;
            if (!$info{$symbol, 'success'}) {
                $info{$symbol, 'errormsg'} = $symbol =~ /,/ ? "a symbol has no comma: $symbol" : $error // "$symbol is unknown";
                next;
            }
            $info{$symbol, 'last'}     = $price;
            $info{$symbol, 'currency'} = $currency if $currency ne '';
            $quoter->store_date(\%info, $symbol, {isodate => $date});
        }
    }
    return wantarray ? %info : \%info;
}

# Price, currency and date by symbol; and what is wrong, if the service gives none.
sub _quotes {
    my ($quoter, $base, $link, @symbols) = @_;
    my $url = URI->new("$base/feed/sheets/quotes.csv");
    $url->query_form(symbols => join(',', @symbols), fields => 'price,currency,session');
    my $answer = $quoter->user_agent->get($url, 'X-API-Key' => $link);
    return ({}, $answer->decoded_content) if !$answer->is_success;
    my %quotes;
    for my $row (split /\r?\n/, $answer->decoded_content) {
        my ($symbol, @figures) = $row =~ /^(.*),([^,]*),([^,]*),([^,]*)$/ or next;
        $symbol =~ s/""/"/g if $symbol =~ s/^"(.*)"$/$1/;
        # An apostrophe keeps spreadsheets from running a text as a formula.
        $symbol =~ s/^'(?=[=+\-@])//;
        $quotes{$symbol} = \@figures;
    }
    return \%quotes;
}

sub _trim {
    my ($text) = @_;
    $text =~ s/^\s+|\s+$//g;
    return $text;
}

1;
