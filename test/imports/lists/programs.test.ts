import { describe, expect, test } from "bun:test";
import { BourseError } from "#domain/errors.ts";
import { zip } from "#lib/zip-writer.ts";
import { readList, readShort } from "../../support/list-files.ts";

const lines = (...all: string[]) => `${all.join("\r\n")}\r\n`;

describe("Portfolio Performance", () => {
  const security = (name: string, symbol: string, more = "") =>
    `<security><uuid>u</uuid><name>${name}</name><currencyCode>USD</currencyCode>${symbol && `<tickerSymbol>${symbol}</tickerSymbol>`}<prices><price t="2026-01-05" v="1"/></prices>${more}<isRetired>false</isRetired></security>`;
  const trade = (tag: string, reference: string, type: string, shares: number) =>
    `<${tag}><uuid>t</uuid><date>2026-01-05T00:00</date><currencyCode>USD</currencyCode><amount>1</amount><security reference="${reference}"/><shares>${shares}</shares><type>${type}</type></${tag}>`;
  const client = (version: number, securities: string, rest: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<client><version>${version}</version><securities>${securities}</securities><watchlists/>${rest}</client>`;
  const PATH = "../../../../../securities/security";

  test("the XML: shares of all accounts, each transaction once, however deep it is", () => {
    const nested = `<accounts><account><transactions><account-transaction><security reference="${PATH}"/><shares>0</shares><type>BUY</type><crossEntry class="buysell"><portfolio><name>Depot</name><transactions>${trade("portfolio-transaction", `../${PATH}`, "BUY", 1_500_000_000)}<portfolio-transaction reference="../x"/></transactions></portfolio><portfolioTransaction reference="../y"/></crossEntry></account-transaction>${trade("account-transaction", PATH, "DIVIDENDS", 1_500_000_000)}</transactions></account></accounts>`;
    const portfolios = `<portfolios><portfolio>${trade("portfolio-transaction", PATH, "SELL", 250_000_000)}${trade("portfolio-transaction", `${PATH}[2]`, "DELIVERY_INBOUND", 300_000_000)}${trade("portfolio-transaction", `${PATH}[2]`, "DELIVERY_OUTBOUND", 300_000_000)}${trade("transactionFrom", PATH, "TRANSFER_OUT", 100_000_000)}${trade("transactionTo", PATH, "TRANSFER_IN", 100_000_000)}</portfolio></portfolios>`;
    const securities = [
      security("Apple", "AAPL", "<isin>US0378331005</isin>"),
      security("Sold", "OLD"),
      security("Watched", "WAT.CH"),
      security("Inactive", "GONE").replace("false", "true"),
    ].join("");
    // 15 bought, 2.5 sold; one hundred million is one share.
    expect(readShort(client(69, securities, nested + portfolios))).toEqual({
      program: "Portfolio Performance",
      items: ["AAPL US0378331005 Apple 12.5", "WAT.CH Watched"],
      remarks: [
        "security 4 Inactive: inactive",
        "security 2 OLD: closed: as many shares are sold as bought",
      ],
    });
  });

  test("files before version 49 count millionths of a share, before 26 hundred-thousandths", () => {
    const rest = `<portfolios>${trade("portfolio-transaction", PATH, "BUY", 55_000_000)}</portfolios>`;
    expect(readList(client(47, security("A", "A"), rest)).items[0]?.shares).toBe(55);
    expect(readList(client(25, security("A", "A"), rest)).items[0]?.shares).toBe(550);
  });

  test("references by id", () => {
    const rest = `<portfolios id="5">${trade("portfolio-transaction", "4", "BUY", 700_000_000)}</portfolios>`;
    const securities =
      security("A", "A").replace("<security>", '<security id="2">') +
      security("B", "B").replace("<security>", '<security id="4">');
    const { items } = readShort(client(63, securities, rest));
    expect(items).toEqual(["B B 7", "A A"]);
  });

  test("the statement of assets as CSV: accounts, groups and totals are no instruments", () => {
    const file = lines(
      "Bestand;Name;Symbol;Kurs;Marktwert;Anteil in %;Notiz",
      '"";Summe;;;20.520,45;100,00;',
      "10;APPLE INC;AAPL;USD 269,48;2.279,86;12,78;",
      '"";Testkonto;;;3.298,15;18,49;',
    );
    expect(readShort(file)).toEqual({
      program: "Portfolio Performance",
      items: ["AAPL APPLE INC 10"],
      remarks: [
        "line 2 Summe: no instrument",
        "line 4 Testkonto: names no instrument, such as cash",
      ],
    });
  });

  test("the compressed XML", () => {
    const xml = client(69, security("Apple", "AAPL"), "");
    const zipped = zip([{ name: "data.xml", bytes: new TextEncoder().encode(xml) }]);
    expect(readShort(zipped).items).toEqual(["AAPL Apple"]);
  });

  test("a security and a transaction that name nothing are remarks", () => {
    const rest = `<portfolios>${trade("portfolio-transaction", `${PATH}[9]`, "BUY", 1)}</portfolios>`;
    expect(readShort(client(69, security("", ""), rest)).remarks).toEqual([
      `transaction 1 ${PATH}[9]: its security is not in the file`,
      "security 1 security 1: has no symbol, ISIN or name",
    ]);
  });

  test("the securities as CSV, German: semicolons, Ticker-Symbol, Währung", () => {
    const file = lines(
      "ISIN;WKN;Ticker-Symbol;Wertpapiername;Währung;Notiz",
      'US0378331005;865985;APC.DE;"Apple Inc.";EUR;"eine; Notiz"',
      "JP3633400001;853510;7203.T;Toyota Motor;JPY;",
    );
    const { program, items } = readList(file);
    expect(program).toBe("Portfolio Performance");
    expect(items).toMatchObject([
      { isin: "US0378331005", currency: "EUR", note: "eine; Notiz", shares: null },
      { isin: "JP3633400001", currency: "JPY", note: null, shares: null },
    ]);
    expect(items.map(({ symbols }) => symbols[0])).toEqual(["APC.DE", "7203.T"]);
  });

  test("the holdings as CSV, German decimal commas: Bestand", () => {
    const file = lines(
      "Bestand;Name;Symbol;ISIN;WKN;Kurs;Marktwert",
      "1.234,5;Apple;AAPL;US0378331005;865985;210,40;1.000,00",
      "10;Microsoft;MSFT;US5949181045;870747;400,1;4.001,00",
    );
    expect(readShort(file)).toEqual({
      program: "Portfolio Performance",
      items: ["AAPL US0378331005 Apple 1234.5", "MSFT US5949181045 Microsoft 10"],
      remarks: [],
    });
  });

  test.each([
    [
      "Datum;Typ;Wert;Buchungswährung;Bruttobetrag;Währung Bruttobetrag;Wechselkurs;Gebühren;Steuern;Stück;ISIN;WKN;Ticker-Symbol;Wertpapiername;Notiz",
      "Kauf;Verkauf;Dividende;Umbuchung (Eingang);Umbuchung (Ausgang);Einlage",
      ";",
      ",",
    ],
    [
      "Date,Type,Value,Transaction Currency,Gross Amount,Currency Gross Amount,Exchange Rate,Fees,Taxes,Shares,ISIN,WKN,Ticker Symbol,Security Name,Note",
      "Buy;Sell;Dividend;Transfer (Inbound);Transfer (Outbound);Deposit",
      ",",
      ".",
    ],
  ])("transactions: %s", (header, types, mark, point) => {
    const [buy = "", sell = "", dividend = "", inbound = "", outbound = "", deposit = ""] =
      types.split(";");
    const row = (type: string, shares: string, symbol = "AAPL") =>
      `2026-01-05T00:00;${type};1;EUR;;;;;;${shares};;;${symbol};${symbol && "Apple"};`.replaceAll(
        ";",
        mark,
      );
    const file = lines(
      header,
      row(buy, `10${point}5`),
      row(sell, "4"),
      row(dividend, "6"),
      row(inbound, "2"),
      row(outbound, "1"),
      row(deposit, "", ""),
    );
    // 10.5 - 4 + 2 - 1
    expect(readShort(file)).toEqual({
      program: "Portfolio Performance",
      items: ["AAPL Apple 7.5"],
      remarks: [`line 7 ${deposit}: names no instrument, such as cash`],
    });
  });

  test.each([
    ["PORTFOLIO\u0001secret", "encrypted"],
    ["PPPBV1\u0001", "binary"],
    [zip([{ name: "data.portfolio", bytes: Uint8Array.of(1, 2, 3) }]), "save it there as XML"],
  ])("its other formats lead to XML: %#", (content, words) => {
    expect(() => readList(content)).toThrow(words);
  });
});

describe("Ghostfolio", () => {
  const activity = (type: string, symbol: string, quantity: number, date = "2024-01-05") => ({
    accountId: null,
    comment: null,
    currency: "USD",
    dataSource: symbol.length > 10 ? "MANUAL" : "YAHOO",
    date: `${date}T00:00:00.000Z`,
    fee: 0,
    quantity,
    symbol,
    tags: [],
    type,
    unitPrice: 1,
  });

  test("the export: activities become shares, future ones and custom assets are named", () => {
    const uuid = "7e91b7d4-1430-4212-8380-289a06c9bbc1";
    const file = {
      meta: { date: "2026-11-20T00:00:00.000Z", version: "dev" },
      accounts: [{ balances: [{ date: "2026-01-01", value: 5 }], currency: "USD", name: "Mine" }],
      assetProfiles: [{ symbol: uuid, name: "Penthouse", isin: null, marketData: [] }],
      activities: [
        activity("BUY", "AAPL", 5),
        activity("DIVIDEND", "AAPL", 5),
        activity("SELL", "AAPL", 2),
        activity("BUY", "BTCUSD", 0.1),
        activity("BUY", "BTCUSD", 0.2),
        activity("BUY", uuid, 1),
        activity("FEE", "Fee", 0),
        activity("BUY", "MSFT", 9, "2050-01-01"),
      ],
    };
    expect(readShort(JSON.stringify(file, null, 2))).toEqual({
      program: "Ghostfolio",
      items: ["AAPL 3", "BTCUSD|BTC-USD 0.3", "Penthouse 1"],
      remarks: [
        "entry 8 MSFT: left out: its date 2050-01-01 is in the future",
        "entry 7 Fee: no purchase is in the file",
      ],
    });
  });

  test("the CSV for its import, with dates of several forms", () => {
    const file = lines(
      "Date,Code,DataSource,Currency,Price,Quantity,Action,Fee,Note",
      "16-09-2021,MSFT,YAHOO,USD,298.580,5,buy,19.00,My first order",
      "17/11/2021,MSFT,YAHOO,USD,0.62,5,dividend,0.00,",
      "01.01.2022,Penthouse,MANUAL,USD,500000.0,1,buy,0.00,",
      "20220606,VTI,YAHOO,USD,0.00,3,sell,0.00,",
    );
    expect(readShort(file)).toEqual({
      program: "Ghostfolio",
      items: ["MSFT 5", "Penthouse 1", "VTI uncertain"],
      remarks: ["line 5 VTI: taken without shares: 3 more are sold than bought"],
    });
  });
});

describe("Wealthfolio", () => {
  const HEADER =
    "date,type,symbol,instrumentType,quantity,unit_price,currency,fee,amount,comment,fxRate,subtype";

  test("activities: a split counts for what was bought before it, once for all accounts", () => {
    const file = lines(
      HEADER,
      "2024-06-11,BUY,NVDA,EQUITY,1,120,USD,,,,,",
      "2024-01-15,BUY,NVDA,EQUITY,2,500,USD,,,,,",
      "2024-06-10,SPLIT,NVDA,EQUITY,,,USD,,10,,,",
      "2024-06-10,SPLIT,NVDA,EQUITY,,,USD,,10,,,",
      "2024-07-01,DIVIDEND,NVDA,EQUITY,0.5,120,USD,,,,,DRIP",
      "2024-03-01,DEPOSIT,,,,,USD,,5000,Monthly,,",
      "2024-03-01,TRANSFER_IN,VTI,EQUITY,4,140,USD,,,,,",
      "2024-03-02,ADJUSTMENT,VTI,EQUITY,4,140,USD,,,,,",
    );
    // 2 × 10 + 1 + 0.5
    expect(readShort(file)).toEqual({
      program: "Wealthfolio",
      items: ["NVDA 21.5", "VTI uncertain"],
      remarks: [
        "line 7 DEPOSIT: names no instrument, such as cash",
        "line 9 VTI: taken without shares: 'ADJUSTMENT' is no known type of transaction",
      ],
    });
  });

  test("its export has ids as symbols, and quotes as in JSON", () => {
    const quoted = (cells: string) =>
      cells
        .split("|")
        .map((cell) => JSON.stringify(cell))
        .join();
    const day = "2026-01-05T00:00:00.000Z";
    const file = [
      "id|activityType|status|date|quantity|amount|comment|symbol|assetSymbol|assetName|exchangeMic|instrumentType",
      `1|BUY|POSTED|${day}|2.5||say "more", and\nmore|9f1c|AAPL|Apple Inc.|XNAS|EQUITY`,
      `2|BUY|DRAFT|${day}|9||C:\\|9f1c|AAPL|Apple Inc.|XNAS|EQUITY`,
      `3|BUY|POSTED|${day}|1|||77|VOD|Vodafone|XLON|EQUITY`,
    ]
      .map(quoted)
      .join("\n");
    expect(readShort(file)).toEqual({
      program: "Wealthfolio",
      items: ["XNAS:AAPL Apple Inc. 2.5", "XLON:VOD Vodafone 1"],
      remarks: ["line 3 XNAS:AAPL: left out: its status is 'DRAFT'"],
    });
  });

  test("holdings: the newest day counts", () => {
    const file = lines(
      "date,symbol,quantity,price,currency",
      "2024-03-31,AAPL,50,171.48,USD",
      "2024-03-31,OLD,1,1,USD",
      "2024-06-30,AAPL,55,210.62,USD",
      "2024-06-30,$CASH,5000,,USD",
    );
    expect(readShort(file)).toEqual({
      program: "Wealthfolio",
      items: ["AAPL 55"],
      remarks: ["line 3 OLD: closed: not among the holdings of 2024-06-30", "line 5 $CASH: cash"],
    });
  });
});

describe("beancount", () => {
  test("open positions and commodities with a source of prices", () => {
    const ledger = lines(
      "* My accounts",
      'option "operating_currency" "USD"',
      'include "2025.beancount"',
      "1990-01-01 commodity USD",
      "2010-01-01 commodity AAPL",
      '  name: "Apple"',
      '  price: "USD:google/NASDAQ:AAPL,yahoo/AAPL"',
      "2010-01-01 commodity TYT",
      '  symbol: "TSE:7203"',
      "2010-01-01 commodity IDLE",
      "2010-01-01 commodity VAC",
      "2010-01-01 commodity EUR",
      '  price: "USD:yahoo/EURUSD=X"',
      "2010-01-01 commodity ALL",
      '  price: "USD:yahoo/ALL"',
      "2026-01-02 open Assets:Broker:AAPL AAPL",
      '2026-01-05 * "Buy" "shares" #tag',
      "  Assets:Broker:AAPL   1,000.5 AAPL {185.40 USD, 2026-01-05} ; a note",
      "  Assets:Broker:Cash",
      "2026-02-05 ! Sale",
      "  Assets:Broker:AAPL   -0.5 AAPL {} @ 190 USD",
      "  Assets:Broker:Cash  95 USD",
      "2026-03-05 txn Move",
      "  Assets:Old  -10 FPT",
      "  Assets:New",
      "2026-03-06 * Vacation",
      "  Assets:Hours   (3 * 8) VAC",
      "  Income:Hours  -24 VAC",
    );
    expect(readShort(ledger)).toEqual({
      program: "beancount",
      items: ["AAPL|NASDAQ:AAPL Apple 1000", "TSE:7203", "ALL", "VAC uncertain"],
      remarks: [
        "line 3 2025.beancount: the included file is not read: import it too",
        "line 22 USD: cash",
        "line 24 FPT: closed: as many shares are sold as bought",
        "line 27 VAC: taken without shares: '(3 * 8)' is computed",
      ],
    });
  });

  test("an account without an amount takes the shares that leave another; a renamed root counts", () => {
    const ledger = lines(
      'option "name_assets" "Vermögen"',
      "2026-01-05 * Übertrag",
      "  Vermögen:Neu",
      "  Equity:Opening  -7 FPT",
      "2026-01-06 pad Vermögen:Alt Equity:Opening",
      "2026-01-07 balance Vermögen:Alt  5 VNM",
      "2026-01-08 * Kauf",
      "  Vermögen:Alt  1 VNM",
      "  Equity:Opening  -1 VNM",
    );
    expect(readShort(ledger).items).toEqual(["FPT 7", "VNM uncertain"]);
  });
});

describe("TradingView, Yahoo and plain text", () => {
  test("a watch list of TradingView with sections and a spread", () => {
    const file = "###TECH,NASDAQ:AAPL,NYSE:BRK.B,###ASIA,TSE:7203,HOSE:FPT,NASDAQ:AAPL/NASDAQ:MSFT";
    expect(readShort(file)).toEqual({
      program: "TradingView",
      items: ["NASDAQ:AAPL", "NYSE:BRK.B", "TSE:7203", "HOSE:FPT"],
      remarks: [
        "line 1 NASDAQ:AAPL/NASDAQ:MSFT: 'NASDAQ:AAPL/NASDAQ:MSFT' is a formula of several instruments",
      ],
    });
  });

  const YAHOO =
    "Symbol,Current Price,Date,Time,Change,Open,High,Low,Volume,Trade Date,Purchase Price,Quantity,Commission,High Limit,Low Limit,Comment";

  test("a portfolio of Yahoo: lots are added, a symbol without a lot is watched", () => {
    const file = lines(
      YAHOO,
      "AAPL,270.1,2026/11/19,16:00 EST,1.2,,,,1,20250105,180.0,4.0,,,,long term",
      "AAPL,270.1,2026/11/19,16:00 EST,1.2,,,,1,20250305,190.0,2.5,,,,",
      "7203.T,2800,2026/11/20,15:00 JST,1.2,,,,1,,,,,,,",
    );
    expect(readShort(file)).toEqual({
      program: "Yahoo",
      items: ["AAPL 6.5", "7203.T"],
      remarks: [],
    });
    expect(readList(file).items.map(({ note, boughtOn }) => [note, boughtOn])).toEqual([
      ["long term", "2025-01-05"],
      [null, null],
    ]);
  });

  test("its newer form has a type, and cash as $$CASH_TX", () => {
    const file = lines(
      `${YAHOO},Transaction Type`,
      "AAPL,1,2026/11/19,16:00 EST,,,,,,20250105,1,4,,,,,BUY",
      "AAPL,1,2026/11/19,16:00 EST,,,,,,20250205,1,1,,,,,SELL",
      "$$CASH_TX,1,,,,,,,,20250205,1,1000,,,,,DEPOSIT",
    );
    expect(readShort(file)).toEqual({
      program: "Yahoo",
      items: ["AAPL 3"],
      remarks: ["line 4 $$CASH_TX: cash"],
    });
  });

  test.each([
    ["AAPL\nJP:7203\n\n# a comment\nVN:FPT", ["AAPL", "JP:7203", "VN:FPT"]],
    ["AAPL, MSFT; JP:7203\tFPT", ["AAPL", "MSFT", "JP:7203", "FPT"]],
    ["AAPL,10\nMSFT,2.5\n", ["AAPL 10", "MSFT 2.5"]],
    ["US:AAPL=10\nJP:7203 = 300", ["US:AAPL 10", "JP:7203 300"]],
    ["7203,6758", ["7203", "6758"]],
    ["Symbol\nAAPL\nMSFT", ["AAPL", "MSFT"]],
    ["$AAPL $TSLA\nAAPL MSFT NVDA\n7203 JP", ["$AAPL", "$TSLA", "AAPL", "MSFT", "NVDA", "7203 JP"]],
    [
      "- NVDA\n* Alphabet (GOOGL)\n1. META\n2) US0378331005",
      ["NVDA", "GOOGL Alphabet", "META", "US0378331005"],
    ],
    ["Symbol,Last,Chg%\nAAPL,270.1,1.2\n", ["AAPL"]],
    // Mastercard is no header in Vietnamese.
    ["MA\nV\nSL", ["MA", "V", "SL"]],
    ["MA,SL", ["MA", "SL"]],
    ['["US:AAPL", "JP:7203"]', ["US:AAPL", "JP:7203"]],
    ['[{"ticker":"AAPL","shares":3}]', ["AAPL 3"]],
    ['{"positions":[{"isin":"US0378331005","qty":"2"}]}', ["US0378331005 2"]],
  ])("%j", (content, items) => {
    expect(readShort(content).items).toEqual(items);
  });
});

describe("tables of brokers and people", () => {
  test("a title above the header, a total below, and a second table that is not read", () => {
    const file = lines(
      '"Positions for account XXXX-1234"',
      "",
      '"Symbol","Description","Qty (Quantity)","Price"',
      '"AAPL","APPLE INC","1,250","$270.10"',
      '"Cash & Cash Investments","--","--","--"',
      '"Account Total","--","--","--"',
      '"Symbol","Trade Date","Transaction Type","Shares"',
      '"AAPL","2026-01-05","Buy","1"',
    );
    expect(readShort(file)).toEqual({
      program: "CSV",
      items: ["AAPL APPLE INC 1250"],
      remarks: [
        "line 7 second table: another table begins, which is not read",
        "line 5 Cash & Cash Investments: cash",
        "line 6 Account Total: no instrument",
      ],
    });
  });

  test("a column says what happened by its words, whatever its name is: a sale is never a purchase", () => {
    const file = lines(
      '"Activity Date","Instrument","Description","Trans Code","Quantity","Price"',
      '"11/3/2025","AAPL","Apple\nCUSIP: 037833100","Buy","2","$180.00"',
      '"11/4/2025","AAPL","Apple","Sell","0.5","$190.00"',
      '"11/5/2025","","ACH Deposit","ACH","",""',
      '"11/6/2025","AAPL","Cash Div","CDIV","","$0.50"',
      '"11/7/2025","NVDA","NVIDIA","SPL","9",""',
    );
    expect(readShort(file)).toEqual({
      program: "transactions",
      items: ["AAPL Apple CUSIP: 037833100 1.5", "NVDA NVIDIA uncertain"],
      remarks: [
        "line 5 ACH Deposit: names no instrument, such as cash",
        "line 7 NVDA: taken without shares: 'SPL' is no known type of transaction",
      ],
    });
    const other = "Ticker,Qty,XYZ\nAAPL,5,Kauf\nAAPL,2,Verkauf\n";
    expect(readShort(other).items).toEqual(["AAPL 3"]);
  });

  test("a column of types without a type of transaction leaves holdings", () => {
    const file = "Symbol,Quantity,Type\nAAPL,10,Cash\nBRKB,3.25,Margin\n";
    expect(readShort(file).items).toEqual(["AAPL 10", "BRKB 3.25"]);
  });

  test("orders that were not carried out do not count, and what takes a purchase back is uncertain", () => {
    const file = lines(
      "Symbol,Side,Status,Quantity",
      "AAPL,Buy,Filled,10",
      "AAPL,Buy,Cancelled,5",
      "AAPL,Sell,Pending,1",
      "MSFT,Cancelled Buy,Filled,5",
      "VTI,Security Transfer,Filled,5",
    );
    expect(readShort(file)).toEqual({
      program: "transactions",
      items: ["AAPL 10", "MSFT uncertain", "VTI uncertain"],
      remarks: [
        "line 3 AAPL: left out: its status is 'Cancelled'",
        "line 4 AAPL: left out: its status is 'Pending'",
        "line 5 MSFT: taken without shares: 'Cancelled Buy' is no known type of transaction",
        "line 6 VTI: taken without shares: 'Security Transfer' is no known type of transaction",
      ],
    });
  });

  test("a transaction with the name as its note", () => {
    const file =
      "Datum;Typ;Wert;Notiz;ISIN;Stück\n2026-01-05;Kauf;-501,00;Apple;US0378331005;2,5\n";
    expect(readShort(file).items).toEqual(["US0378331005 Apple 2.5"]);
  });

  test("an ISIN in the column of symbols is an ISIN, and sales can have negative quantities", () => {
    const file =
      "date;type;name;symbol;shares\n2024-01-05;BUY;Apple;US0378331005;5\n2024-02-05;SELL;Apple;US0378331005;-2\n";
    expect(readShort(file).items).toEqual(["US0378331005 Apple 3"]);
  });

  test("a table without a column of symbols is refused with its header", () => {
    expect(() => readList("Thing,Count,Cost\nAAPL,5,180.50\n")).toThrow(
      "my file.txt, line 1: the table has no column of symbols: its header is 'Thing', 'Count', 'Cost'; name one Symbol, Ticker or ISIN.",
    );
  });

  test("a French statement with semicolons and an ISIN in place of a symbol", () => {
    const file = lines(
      "Relevé de compte",
      "Date d'opération;Opération;ISIN;Libellé;Quantité;Cours;Montant;Devise",
      '15/01/2024;Achat;US0378331005;Apple Inc.;25;172,50;"4.312,50";EUR',
      '20/02/2024;Vente;US0378331005;Apple Inc.;10,5;185,75;"1.950,37";EUR',
      '01/03/2024;Versement;;;;;"5.000,00";EUR',
    );
    expect(readShort(file).items).toEqual(["US0378331005 Apple Inc. 14.5"]);
  });

  test("Japanese and Vietnamese headers", () => {
    expect(
      readShort("銘柄コード,銘柄名,保有数量[株],取得単価\n7203,トヨタ自動車,300,2500\n合計,,,\n")
        .items,
    ).toEqual(["7203 トヨタ自動車 300"]);
    expect(readShort("Mã CK;Khối lượng;Giá vốn\nFPT;1.000;95,5\nVNM;500;60,25\n").items).toEqual([
      "FPT 1000",
      "VNM 500",
    ]);
  });

  test("an exchange beside the symbol, also one that is not covered", () => {
    const file = "Ticker,Exchange,Shares\n7203,TSE,100\nSAP,XETRA,5\nAAPL,Main Market,1\n";
    expect(readShort(file).items).toEqual(["TSE:7203 100", "XETRA:SAP 5", "AAPL 1"]);
    const named = "Ticker,Exchange,Shares\nVOD,London Stock Exchange,1\n7203,東証プライム,5\n";
    expect(readShort(named).items).toEqual(["LON:VOD 1", "TSE:7203 5"]);
    // The country can be that of the company.
    const countries =
      "Ticker,Country,Exchange\n7203,JP,\nTM,JP,NYSE\nSAP,Germany,XETRA\nTSM,Taiwan,\n";
    expect(readShort(countries).items).toEqual(["JP:7203|7203", "NYSE:TM", "XETRA:SAP", "TSM"]);
  });

  test("holdings of several days of an unknown program have no certain shares", () => {
    const file =
      "Date,Ticker,Shares,Broker\n2026-01-05,AAPL,10,X\n2026-02-05,AAPL,12,X\n2026-02-05,MSFT,3,X\n";
    expect(readShort(file).items).toEqual(["AAPL uncertain", "MSFT 3"]);
  });

  test.each([
    ["Symbol,Weight\nAAPL,60%\nMSFT,40%\n", [60, 40]],
    ["Symbol,Weight\nAAPL,0.6\nMSFT,0.4\n", [60, 40]],
    ["Symbol,Weight\nAAPL,60\nMSFT,0.5\n", [60, 0.5]],
    ["Symbol,Weight\nAAPL,0.5\nMSFT,0.1\n", [null, null]],
    // Our own files have percent, also if they sum to 1.
    ["country,symbol,shares,weight,note\nUS,AAPL,,0.6,\nUS,MSFT,,0.4,\n", [0.6, 0.4]],
  ])("weights: %j", (content, weights) => {
    expect(readList(content).items.map(({ weight }) => weight)).toEqual(weights);
  });

  test.each<[string, object | undefined]>([
    // Of holdings: of a share, of all shares, with the currency of the header, of the cell or of a column.
    ["Symbol,Shares,Avg Cost\nAAPL,10,150.25\n", { price: 150.25, currency: null, date: null }],
    [
      'Symbol,Qty,Cost Basis\nAAPL,10,"$1,502.50"\n',
      { price: 150.25, currency: "USD", date: null },
    ],
    ["Ticker,Shares,Book value (EUR)\nAAPL,4,600\n", { price: 150, currency: "EUR", date: null }],
    [
      "Symbol,Shares,Price paid,Currency\nAAPL,4,15000,GBX\n",
      { price: 150, currency: "GBP", date: null },
    ],
    [
      "Stück;ISIN;Einstandskurs;Währung\n4;US0378331005;150,25;EUR\n",
      { price: 150.25, currency: "EUR", date: null },
    ],
    [
      '銘柄コード,保有株数,平均取得単価（円）\n7203,100,"2,500.5"\n',
      { price: 2500.5, currency: "JPY", date: null },
    ],
    [
      'Mã CK,Số lượng,Giá vốn (nghìn đồng)\nFPT,100,"85.5"\n',
      { price: 85_500, currency: "VND", date: null },
    ],
    [
      "Symbol,Quantity,Purchase Date,Purchase Price\nAAPL,10,2024-01-05,150\n",
      { price: 150, currency: null, date: "2024-01-05" },
    ],
    // The price of a holding is of now, an empty or zero price is none, and two currencies are a question.
    ["Symbol,Shares,Price\nAAPL,10,150\n", undefined],
    ["Symbol,Shares,Purchase Price\nAAPL,10,0\n", undefined],
    ["Symbol,Shares,Cost basis (EUR)\nAAPL,10,$1500\n", undefined],
    // Of transactions: sales take shares at the average of the purchases before.
    [
      "Date,Type,Symbol,Shares,Price,Currency\n2026-01-05,Buy,AAPL,10,100,USD\n2026-02-05,Sell,AAPL,5,300,USD\n2026-03-05,Buy,AAPL,5,200,USD\n",
      { price: 150, currency: "USD", date: null },
    ],
    // All were sold in between.
    [
      "Date,Type,Symbol,Shares,Price\n2026-01-05,Buy,AAPL,10,100\n2026-02-05,Sell,AAPL,10,300\n2026-03-05,Buy,AAPL,5,200\n",
      { price: 200, currency: null, date: "2026-03-05" },
    ],
    // One purchase without a price.
    [
      "Date,Type,Symbol,Shares,Price\n2026-01-05,Buy,AAPL,10,100\n2026-03-05,Buy,AAPL,5,\n",
      undefined,
    ],
    // Two for one in the file: 10 shares for 1,000 are 20 of 50.
    [
      "Date,Type,Symbol,Shares,Price,Note\n2026-01-05,Buy,AAPL,10,100,\n2026-02-05,Split,AAPL,,,2-for-1\n",
      { price: 50, currency: null, date: null },
    ],
  ])("the price paid: %j", (content, cost) => {
    expect(readList(content).items.map((one) => one.cost)).toEqual([cost] as never);
  });

  test.each([
    ["Symbol,Shares,Purchase price,Date,Fees\nAAPL,10,150.25,2024-01-05,\n", ["Date"]],
    // Dates and types say how many shares are left, and prices what they cost.
    [
      "Date,Type,Symbol,Shares,Price,Currency,Fees\n2026-01-05,Buy,AAPL,10,150,EUR,1\n2026-02-05,Sell,AAPL,4,160,EUR,1\n",
      ["Fees"],
    ],
    // An item with shares has no weight.
    ["Symbol,Shares,Weight,Currency,Note\nAAPL,10,60%,USD,early\n", ["Weight"]],
    ["Symbol,Weight\nAAPL,60%\nMSFT,40%\n", []],
    ['[{"symbol":"AAPL","shares":3,"cost":1}]', ["cost"]],
    ["country,symbol,shares,weight,note\nUS,AAPL,1,,\n", []],
  ])("the columns that a list does not keep are named: %j", (content, names) => {
    expect(readList(content).notRead ?? []).toEqual(names);
  });

  test("a mark that can be either is refused, unless a person decides", () => {
    const file = "Symbol;Shares\nAAPL;1.234\n";
    expect(() => readList(file)).toThrow("give --decimal point or --decimal comma");
    // Prices can show it: 1234 here, and 1.234 there.
    expect(readList("Symbol;Shares;Price\nAAPL;1.234;10,50\n").items[0]?.shares).toBe(1234);
    expect(readList('Symbol,Shares,Price\nAAPL,"1,234","10,50"\n').items[0]?.shares).toBe(1.234);
    expect(readList('Symbol,Shares,Price\nAAPL,"1,234",10.50\n').items[0]?.shares).toBe(1234);
    const late = `Symbol;Shares\n${"AAPL;1\n".repeat(2_000)}FPT;1.234\n`;
    expect(() => readList(late)).toThrow("line 2002: nothing in the file shows");
    expect(readList(file, { decimal: "comma" }).items[0]?.shares).toBe(1234);
    expect(readList(file, { decimal: "point" }).items[0]?.shares).toBe(1.234);
  });
});

test.each(
  "Price,Preis,Koers,Prijs,Prix,Preço,Precio,Prezzo,Importo,Cena,Kwota,Pris,Fiyat,Цена,Сумма,単価,金額,成本价,價格,단가,Giá".split(
    ",",
  ),
)("a decimal comma in a column %s shows that 1.619 are thousands", (name) => {
  for (const header of [name, name.normalize("NFD"), name.toUpperCase()])
    expect(
      readShort(`Units,${header},Symbol\n20,"216,15",AAPL\n1.619,"365,51",META\n`).items,
    ).toEqual(["AAPL 20", "META 1619"]);
});

/** The question that a file asks: its sentence, and what can be answered. */
function questionOf(content: string) {
  try {
    readList(content);
  } catch (error) {
    if (!(error instanceof BourseError)) throw error;
    const { param, allowed } = error.details;
    return { message: error.message, param, allowed };
  }
  throw new Error("the file was read without a question");
}

describe("a total and its lots count once", () => {
  test.each([
    [
      "a level says so",
      "Symbol,Position,LevelOfDetail\nAAPL,100,SUMMARY\nAAPL,60,LOT\nAAPL,40,LOT\nMSFT,7,LOT\n",
      ["AAPL 100", "MSFT 7"],
    ],
    [
      "a column of levels without a known name",
      "Symbol,Position,Row\nAAPL,60,lot\nAAPL,40,lot\nAAPL,100,Total\n",
      ["AAPL 100"],
    ],
    [
      "orders, their executions, and closed lots",
      "Symbol,Side,Quantity,Level\nAAPL,BUY,100,ORDER\nAAPL,BUY,60,EXECUTION\nAAPL,BUY,40,EXECUTION\nAAPL,SELL,30,ORDER\nAAPL,SELL,30,EXECUTION\nAAPL,SELL,30,CLOSED_LOT\n",
      ["AAPL 70"],
    ],
    [
      "the total has no date, and the lots have one; a single lot below its total too",
      "Symbol,Quantity,Trade Date\nAAPL,100,\nAAPL,60,2024-01-05\nAAPL,40,2024-02-05\nMSFT,5,\nMSFT,5,2024-01-05\n",
      ["AAPL 100", "MSFT 5"],
    ],
    [
      "the total costs what its lots cost",
      "Symbol,Quantity,Cost\nAAPL,60,9000\nAAPL,40,8000\nAAPL,100,17000\n",
      ["AAPL 100"],
    ],
    [
      "several instruments have such rows",
      "Symbol,Quantity\nAAPL,100\nAAPL,60\nAAPL,40\nMSFT,30\nMSFT,20\nMSFT,10\n",
      ["AAPL 100", "MSFT 30"],
    ],
    [
      "all accounts below each of them",
      "Account,Symbol,Quantity\nA,AAPL,10\nB,AAPL,5\nAll accounts,AAPL,15\nA,MSFT,7\nAll accounts,MSFT,7\n",
      ["AAPL 15", "MSFT 7"],
    ],
    [
      "rows with the word, in several languages",
      "Symbol,Quantity\nAAPL,60\nAAPL,40\nTotal AAPL,100\nMSFT,5\nMSFT Total,5\nZwischensumme,5\nTổng cộng,105\n",
      ["AAPL 100", "MSFT 5"],
    ],
    [
      "lots below a position, with a date in place of a symbol",
      "Symbol,Quantity\nAAPL,100\n01/05/2024,60\n02/05/2024,40\n",
      ["AAPL 100"],
    ],
    [
      "three lots are no total of each other: each has a day and a price",
      "Symbol,Quantity,Purchase Price,Trade Date\nAAPL,1,150,2024-01-05\nAAPL,1,160,2024-02-05\nAAPL,2,170,2024-03-05\n",
      ["AAPL 4"],
    ],
    [
      "lots alone, also if one has as many as the others",
      "Symbol,Position,LevelOfDetail\nAAPL,60,LOT\nAAPL,40,LOT\nAAPL,100,LOT\n",
      ["AAPL 200"],
    ],
    [
      "a column named Type has the levels",
      "Symbol,Type,Position\nAAPL,Summary,100\nAAPL,Lot,60\nAAPL,Lot,40\n",
      ["AAPL 100"],
    ],
    [
      "the word is the name, or behind the symbol",
      "Symbol,Name,Quantity\nAAPL,Total,100\nAAPL,Lot 1,60\nAAPL,Lot 2,40\nMSFT,,5\nMSFT (Total),,5\nTotal for NVDA,,7\nNVDA,,7\n",
      ["AAPL Total 100", "MSFT 5", "NVDA 7"],
    ],
    [
      "lots with the ISIN alone",
      "Symbol,ISIN,Level,Quantity\nAAPL,US0378331005,Summary,100\n,US0378331005,Lot,60\n,US0378331005,Lot,40\n",
      ["AAPL US0378331005 100"],
    ],
    [
      "numbered lots",
      "Symbol,Row,Quantity\nAAPL,Position,100\nAAPL,Tax lot 1,60\nAAPL,Tax lot 2,40\n",
      ["AAPL 100"],
    ],
    [
      "the word stands before the symbol",
      "Group,Symbol,Quantity\nTotal,AAPL,100\n,AAPL,60\n,AAPL,40\n",
      ["AAPL 100"],
    ],
    ["two accounts with as many", "Account,Symbol,Quantity\nA,AAPL,10\nB,AAPL,10\n", ["AAPL 20"]],
  ])("%s", (_, content, items) => {
    expect(readShort(content).items).toEqual(items);
  });

  test.each([
    [
      "Symbol,Position,LevelOfDetail\nAAPL,100,SUMMARY\nAAPL,60,LOT\nAAPL,30,LOT\n",
      "line 2: 'AAPL' has 100 shares in total, but its lots in lines 3 to 4 sum to 90: give --count totals or --count lots.",
      ["AAPL 100"],
      ["AAPL 90"],
    ],
    [
      "Symbol,Quantity\nAAPL,60\nAAPL,30\nTotal AAPL,100\nMSFT,5\n",
      "line 4: 'AAPL' has 100 shares in total, but its lots in lines 2 to 3 sum to 90: give --count totals or --count lots.",
      ["AAPL 100", "MSFT 5"],
      ["AAPL 90", "MSFT 5"],
    ],
    [
      "Symbol,Quantity\nAAPL,1\nAAPL,1\nAAPL,2\n",
      "line 4: 'AAPL' has 2 shares here and 2 in lines 2 to 3, so 2 if this row is their total, or 4 if it is a further lot: give --count totals or --count lots.",
      ["AAPL 2"],
      ["AAPL 4"],
    ],
  ])("a contradiction is a question with both readings: %j", (content, words, totals, lots) => {
    const { message, param, allowed } = questionOf(content);
    expect(message).toEndWith(words);
    expect([param, allowed]).toEqual(["count", ["totals", "lots"]]);
    expect(readShort(content, { count: "totals" }).items).toEqual(totals);
    expect(readShort(content, { count: "lots" }).items).toEqual(lots);
  });

  test("each account has a table below an equal header, or one with its columns in another order", () => {
    const file = lines(
      "Brokerage 1234",
      "Symbol,Qty (Quantity),Price",
      "Cash,--,--",
      "Account Total,--,--",
      "",
      "Individual 4321",
      "Symbol,Qty (Quantity),Price",
      "AAPL,10,200",
      "Joint",
      "Price,Symbol,Qty (Quantity),Value",
      "400,MSFT,5,2000",
      "200,AAPL,1,200",
    );
    expect(readShort(file)).toEqual({
      program: "CSV",
      items: ["AAPL 11", "MSFT 5"],
      remarks: ["line 3 Cash: cash", "line 4 Account Total: no instrument"],
    });
  });

  test("a table below has columns that the first one lacks; one of another kind is named", () => {
    const file = lines(
      "Fund Name,Price,Shares",
      "Some Fund,100,10",
      "Investment Name,Symbol,Shares,Share Price",
      "APPLE INC,AAPL,10,230",
      "Trade Date,Transaction Type,Symbol,Shares",
      "2024-01-05,Buy,AAPL,10",
    );
    expect(readShort(file)).toMatchObject({
      items: ["Some Fund 10", "AAPL APPLE INC 10"],
      remarks: ["line 5 second table: another table begins, which is not read"],
    });
  });

  test("a statement of Interactive Brokers: its open positions, or its trades", () => {
    const trades = [
      "Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price",
      'Trades,Data,Order,Stocks,USD,AAPL,"2024-01-05, 10:00:00",100,150',
      'Trades,Data,Order,Stocks,USD,AAPL,"2024-02-05, 10:00:00",-30,160',
      "Trades,SubTotal,,Stocks,USD,AAPL,,70,",
    ];
    const start = ["Statement,Header,Field Name,Field Value", "Statement,Data,Title,Activity"];
    const file = lines(
      ...start,
      ...trades,
      "Open Positions,Header,DataDiscriminator,Asset Category,Currency,Symbol,Quantity,Cost Price",
      "Open Positions,Data,Summary,Stocks,USD,AAPL,70,150",
      "Open Positions,Data,Lot,Stocks,USD,AAPL,60,149",
      "Open Positions,Data,Lot,Stocks,USD,AAPL,10,156",
      "Open Positions,Data,Summary,Equity and Index Options,USD,MSFT 17JAN25 400 C,2,5",
      "Open Positions,Total,,Stocks,USD,,,",
    );
    expect(readShort(file)).toEqual({
      program: "Interactive Brokers",
      items: ["AAPL 70"],
      remarks: [
        "line 9 and 1 more AAPL: counted in line 8",
        "line 11 MSFT 17JAN25 400 C: left out: an option, and no share",
      ],
    });
    expect(readShort(lines(...start, ...trades)).items).toEqual(["AAPL 70"]);
  });
});

describe("dates that can be read in two ways", () => {
  // 10 before the split of 4 for 1 and 10 after it, or 20 before it.
  const split = (header: string, dates: readonly string[]) =>
    lines(
      header,
      `${dates[0]};Buy;AAPL;10;`,
      `${dates[1]};Split;AAPL;;4:1`,
      `${dates[2]};Buy;AAPL;10;`,
    );
  const dates = ["05/02/2024", "03/04/2024", "06/03/2024"];

  test("are a question with both readings if the shares depend on them", () => {
    const file = split("Date;Type;Symbol;Quantity;Note", dates);
    const { message, param, allowed } = questionOf(file);
    expect(message).toEndWith(
      "line 2: '05/02/2024' can be day/month/year or month/day/year, and AAPL then has 80 or 20 shares: give --date-order dmy or --date-order mdy.",
    );
    expect([param, allowed]).toEqual(["date-order", ["dmy", "mdy"]]);
    expect(readShort(file, { "date-order": "dmy" }).items).toEqual(["AAPL 80"]);
    expect(readShort(file, { "date-order": "mdy" }).items).toEqual(["AAPL 20"]);
  });

  test("are a question if one reading is in the future", () => {
    const file = "Date,Symbol,Type,Quantity\n05/02/2026,AAPL,Buy,10\n03/12/2026,AAPL,Buy,5\n";
    expect(questionOf(file).message).toContain("AAPL then has 10 or 15 shares");
  });

  test("are none if the shares are the same, the language of the header has one order, or many dates rise", () => {
    const trades = "Date,Symbol,Type,Quantity\n05/02/2025,AAPL,Buy,10\n06/03/2025,AAPL,Sell,4\n";
    expect(readShort(trades).items).toEqual(["AAPL 6"]);
    const german = "Datum;Typ;Symbol;Stück;Notiz";
    expect(
      readShort(
        split(
          german,
          dates.map((one) => one.replaceAll("/", ".")),
        ),
      ),
    ).toMatchObject({ items: ["AAPL 80"] });
    const japanese = split("約定日;取引;銘柄コード;数量;備考", [
      "24/02/05",
      "24/04/03",
      "24/03/06",
    ]);
    expect(
      readShort(japanese.replaceAll("4:1", "1:4").replaceAll("Split", "分割 1:4")).items,
    ).toEqual(["AAPL 80"]);
    const dots = dates.map((one) => one.replaceAll("/", ".").replace("2024", "24"));
    expect(readShort(split("Date;Type;Symbol;Quantity;Note", dots)).items).toEqual(["AAPL 80"]);
    // As month and day, these six do not rise.
    const days = "05/01/2024 03/02/2024 06/03/2024 02/04/2024 07/05/2024 01/06/2024".split(" ");
    const rising = lines(
      "Date;Type;Symbol;Quantity;Note",
      ...days.map(
        (day, i) =>
          `${day};${i === 3 ? "Split" : "Buy"};AAPL;${i === 3 ? "" : 1};${i === 3 ? "4:1" : ""}`,
      ),
    );
    // 3 × 4 + 2
    expect(readShort(rising).items).toEqual(["AAPL 14"]);
  });

  test("are different days: holdings of several days without a column of types have no certain shares", () => {
    const file = "Date,Naam,Aantal\n??1,Apple,10\n??2,Apple,4\n";
    expect(readShort(file).items).toEqual(["Apple uncertain"]);
  });
});

describe("what the words of a transaction do to the shares", () => {
  const trades = (...words: readonly [string, string]) =>
    readShort(
      lines(
        "Date,Symbol,Side,Quantity",
        `2025-01-06,AAPL,${words[0]},10`,
        `2025-02-03,AAPL,${words[1]},4`,
      ),
    ).items;

  test.each([
    ["B", "S"],
    ["K", "V"],
    ["A", "V"],
    ["C", "V"],
    ["M", "B"],
    ["Köp", "Sälj"],
    ["Kjøp", "Salg"],
    ["Aankoop", "Verkoop"],
    ["Acquisto", "Vendita"],
    ["Compra", "Venta"],
    ["Osto", "Myynti"],
    ["Kupno", "Sprzedaż"],
    ["Mua", "Bán"],
    ["現物買", "現物売"],
    ["信用新規買", "信用返済売"],
    ["買付", "売付"],
    ["매수", "매도"],
    ["BOT", "SLD"],
    ["BTO", "STC"],
    ["NB", "NS"],
    ["Long", "Close"],
    ["Open Long", "Close Long"],
    ["Open", "Exit"],
    ["Savings plan", "Redemption"],
    ["Sparplan", "Verkauf"],
    ["Transfer In", "Transfer Out"],
    ["Stock dividend", "Sell"],
    ["Thưởng cổ phiếu", "Bán"],
  ])("%s 10, %s 4: 6 are left", (buy, sell) => {
    expect(trades(buy, sell)).toEqual(["AAPL 6"]);
  });

  test.each([
    ["Sell short", "Buy to cover"],
    ["Short", "Close"],
    ["信用新規売", "信用返済買"],
  ])("%s 10, %s 4: 6 are sold short", (short, cover) => {
    expect(trades(short, cover)).toEqual(["AAPL -6"]);
  });

  test.each([
    // A deposit can be of money, and of shares.
    ["Buy", "Withdrawal"],
    // FIX writes a side as a number.
    ["1", "2"],
    ["Buy", "Xyz"],
    ["Buy", "Merger"],
    ["Buy", "Correction of buy"],
    ["Q", "Z"],
    ["Long", "Security transfer"],
  ])("%s 10, %s 4: the shares are not certain", (one, other) => {
    expect(trades(one, other)).toEqual(["AAPL uncertain"]);
  });

  test("letters mean what the header says, in a column with any name", () => {
    const file = (header: string) => `Ngày,Mã CK,${header},KL\n05/02/2025,FPT,B,40\n`;
    expect(readShort(file("Mua/Bán")).remarks).toEqual([
      "line 2 FPT: taken without shares: 40 more are sold than bought",
    ]);
    expect(readShort(file("B/S")).items).toEqual(["FPT 40"]);
    expect(readShort("Ticker,Qty,XYZ\nAAPL,5,B\nAAPL,2,S\n").items).toEqual(["AAPL 3"]);
    const dividend =
      "Date,Symbol,B/S,Qty\n2024-01-05,AAPL,B,5\n2024-01-08,AAPL,S,2\n2024-01-09,MSFT,D,3\n";
    expect(readShort(dividend).items).toEqual(["AAPL 3", "MSFT uncertain"]);
  });

  test("a column of sides in a table of holdings: what is sold short is negative", () => {
    const items = (header: string) =>
      readShort(`${header},Symbol,Qty\nLong,AAPL,10\nShort,TSLA,5\n`).items;
    expect(items("Position Type")).toEqual(["AAPL 10", "TSLA -5"]);
    expect(items("XYZ")).toEqual(["AAPL 10", "TSLA uncertain"]);
    // How long it was held.
    expect(items("Term")).toEqual(["AAPL 10", "TSLA 5"]);
  });

  test("a transfer without a direction goes by its sign, if sales have one", () => {
    const rows = ["Buy;10", "Sell;-2", "Security transfer;5", "Security transfer;-3"];
    const file = lines("type;shares;isin", ...rows.map((one) => `${one};US5949181045`));
    expect(readShort(file).items).toEqual(["US5949181045 10"]);
  });

  test("signs alone say what happened if the days of an instrument differ", () => {
    const file =
      "Symbol,Date/Time,Quantity\nAAPL,2024-01-05 10:00:00,10\nAAPL,2024-01-05 10:00:00,10\nAAPL,2024-01-08 10:00:00,-5\n";
    expect(readShort(file).items).toEqual(["AAPL 15"]);
  });

  test.each([
    ["Reverse Split", "1-for-10", "AAPL 100"],
    ["Reverse Split 10:1", "", "AAPL 100"],
    ["Reverse split", "", "AAPL uncertain"],
    ["Stock Split", "4:1", "AAPL 4000"],
    ["Split", "1:4", "AAPL uncertain"],
    ["Aktiensplit", "1:1,25", "AAPL uncertain"],
    ["Reverse Split", "10 zu 1", "AAPL 100"],
    ["株式分割", "1:5", "AAPL 5000"],
    ["株式併合", "5:1", "AAPL 200"],
    ["SPR", "10S", "AAPL uncertain"],
    ["Cash dividend", "10S", "AAPL 1000"],
  ])("%s with %j", (type, quantity, item) => {
    const file = `Date,Type,Symbol,Quantity\n2023-01-03,Buy,AAPL,1000\n2024-01-03,${type},AAPL,${quantity}\n`;
    expect(readShort(file).items).toEqual([item]);
  });

  test("a payment without a known word leaves the shares, a row without an amount does not", () => {
    const file = (amount: string) =>
      `Date,Type,Symbol,Quantity,Amount\n2023-01-03,Buy,AAPL,10,1000\n2024-01-03,XPAY,AAPL,,${amount}\n`;
    expect(readShort(file("2.50")).items).toEqual(["AAPL 10"]);
    expect(readShort(file("")).items).toEqual(["AAPL uncertain"]);
  });

  test("where a side is empty, another column of types counts", () => {
    const file = lines(
      "Date,Type,Side,Symbol,Quantity",
      "2024-01-05,Trade,Buy,AAPL,10",
      "2024-01-06,Trade,Sell,AAPL,4",
      "2024-01-07,Dividend,,AAPL,6",
      ",,,AAPL Total,6",
    );
    expect(readShort(file)).toMatchObject({
      items: ["AAPL 6"],
      remarks: ["line 5 AAPL: no instrument"],
    });
  });

  test("a date that is not understood is named", () => {
    const file = "Date,Symbol,Type,Quantity\nNov-02-2023,AAPL,Buy,10\nsometime,AAPL,Buy,1\n";
    expect(readShort(file)).toMatchObject({
      items: ["AAPL 11"],
      remarks: ["line 3 AAPL: its date 'sometime' is not understood, so it counts as a past one"],
    });
  });

  test("a corrected order can be the wrong one", () => {
    const file = "Symbol,Side,Status,Qty\nAAPL,Buy,Filled,10\nAAPL,Buy,Corrected,12\n";
    expect(readShort(file).items).toEqual(["AAPL uncertain"]);
  });

  test("the filled quantity of an order counts, not the ordered one", () => {
    const file = "Symbol,Side,Status,Qty,Filled Qty\nAAPL,Buy,Partially Filled,100,40\n";
    expect(readShort(file).items).toEqual(["AAPL 40"]);
  });
});

test("the columns of an option say that a row is no share", () => {
  const file = "Symbol,Side,Quantity,Strike,Put/Call\nAAPL,Buy,1,200,C\nAAPL,Buy,10,,\n";
  expect(readShort(file).items).toEqual(["AAPL 10"]);
});

test("a table with decimal commas is refused with its own header", () => {
  expect(() => readList("date;price;shares;WKN\n2021-12-02;14,28;40,9;A2ANH0\n")).toThrow(
    "its header is 'date', 'price', 'shares', 'WKN'; name one",
  );
});

test("ISINs are known in a column with any name, and symbols are no words of trades", () => {
  expect(readShort("Product,Nummer,Aantal\nApple,US0378331005,10\n").items).toEqual([
    "US0378331005 Apple 10",
  ]);
  expect(readShort("Symbol,Quantity\nMUA,10\nKOP,2\n").items).toEqual(["MUA 10", "KOP 2"]);
});

describe("cells that are more than a symbol or a number", () => {
  test.each([
    ["10 shares", "AAPL 10"],
    ["10 Stk.", "AAPL 10"],
    ["100株", "AAPL 100"],
    ["(5)", "AAPL -5"],
    ["1000 USD", "AAPL uncertain"],
    ["$500", "AAPL uncertain"],
    ["10%", "AAPL uncertain"],
    ["5 lots", "AAPL uncertain"],
    ["1.5K", "AAPL uncertain"],
    ["10円", "AAPL uncertain"],
    ["10 zł", "AAPL uncertain"],
    ["10 đ", "AAPL uncertain"],
    // The mark of a footnote, and a half.
    ["10²", "AAPL uncertain"],
    ["10½", "AAPL uncertain"],
  ])("a quantity of %s", (quantity, item) => {
    expect(readShort(`Symbol,Quantity\nAAPL,${quantity}\n`).items).toEqual([item]);
  });

  test.each([
    ["Quantity (lots)", "VNM uncertain"],
    ["Số lượng (nghìn)", "VNM 10000"],
    ["Qty (Quantity)", "VNM 10"],
    ["Quantity (x100)", "VNM 1000"],
    ["数量 (万股)", "VNM 100000"],
    ["Quantity (тыс.)", "VNM 10000"],
    ["Ilość (tys.)", "VNM 10000"],
    ["Quantité (milliers)", "VNM 10000"],
    ["Stück (Mio.)", "VNM 10000000"],
    ["Số lượng (lô)", "VNM uncertain"],
    ["Quantity (USD)", "VNM uncertain"],
    ["Anzahl (€)", "VNM uncertain"],
    ["Quantity (%)", "VNM uncertain"],
    ["Stk./Nominale", "VNM 10"],
    ["Tổng KL", "VNM 10"],
    ["Menge", "VNM 10"],
    ["股數", "VNM 10"],
  ])("the unit of a header: %s", (header, item) => {
    expect(readShort(`Symbol;${header}\nVNM;10\n`).items).toEqual([item]);
  });

  test.each(["Razem", "Итого", "Всего", "合计", "总计", "합계"])("a total in a row: %s", (word) => {
    const { items, remarks } = readShort(`Symbol;Quantity\nVNM;10\n${word};10\n`);
    expect([items, remarks]).toEqual([["VNM 10"], [`line 3 ${word}: no instrument`]]);
  });

  test("a column of units", () => {
    const file = "Symbol,Quantity,Unit\nAAPL,10,shares\nVNM,5,lots\n";
    expect(readShort(file).items).toEqual(["AAPL 10", "VNM uncertain"]);
  });

  test("the unit beside a quantity: a nominal amount of a bond is no number of shares", () => {
    const file =
      "Bezeichnung;ISIN/WKN;Stk./Nominale;;Kurs\nA;US0378331005;1.500;Stk.;229,10\nB;US5949181045;5.000;EUR;99,10\n";
    expect(readShort(file).items).toEqual(["US0378331005 A 1500", "US5949181045 B uncertain"]);
  });

  test.each([
    ["AAPL - Apple Inc.", "AAPL Apple Inc. 1"],
    ["Microsoft (MSFT)", "MSFT Microsoft 1"],
    ["7203 トヨタ自動車", "7203 トヨタ自動車 1"],
    ["（6758）ソニー", "6758 ソニー 1"],
    ["HPG (HOSE)", "HOSE:HPG 1"],
    ["US0378331005 / 865985", "US0378331005 1"],
    ["BRK B", "BRK B 1"],
    ["7203 JP", "7203 JP 1"],
    ["AAPL UW Equity", "AAPL UW Equity 1"],
    ["US.AAPL", "US.AAPL 1"],
  ])("a symbol in %s", (written, item) => {
    expect(readShort(`Symbol,Quantity\n${written},1\n`).items).toEqual([item]);
  });

  test("a code in the cell of a name", () => {
    const file = "銘柄（コード）,数量\n7203 トヨタ自動車,100\n三菱商事 8058,5\n2020 Bulkers,1\n";
    expect(readShort(file).items).toEqual([
      "7203 トヨタ自動車 100",
      "8058 三菱商事 5",
      "2020 Bulkers 1",
    ]);
  });

  test("options, bonds and cash are not the share whose symbol they have", () => {
    const file = lines(
      "AssetClass,Symbol,Description,Quantity",
      "STK,AAPL,APPLE INC,10",
      "OPT,AAPL,AAPL 17JAN25 200 C,-1",
      "BOND,AAPL,AAPL 4 3/8 05/13/45,5000",
      "CASH,USD,,500",
      "Stock,AAPL,CALL AAPL $200 EXP 01/17/25,1",
      "Bond ETF,AGG,Aggregate Bond ETF,3",
      "ETF,QYLD,NASDAQ 100 Covered Call ETF,5",
      "STK,-AAPL250117C200,,1",
      "STK,CASH,Pathward Financial Inc,2",
      "Bonds,BND,Total Bond Market,4",
      "Fixed Income,912810TM0,US TREASURY 4.25% 2030,1000",
    );
    expect(readShort(file)).toMatchObject({
      items: [
        "AAPL APPLE INC 10",
        "AGG Aggregate Bond ETF 3",
        "QYLD NASDAQ 100 Covered Call ETF 5",
        "CASH Pathward Financial Inc 2",
        "BND Total Bond Market 4",
      ],
      remarks: [
        "line 3 and 1 more AAPL: left out: an option, and no share",
        "line 4 AAPL: left out: a bond, and no share",
        "line 5 USD: cash",
        "line 9 -AAPL250117C200: left out: an option, and no share",
        "line 12 912810TM0: left out: a bond, and no share",
      ],
    });
  });

  test.each(["Wertpapier,ISIN,Anzahl\nApple,US0378331005,1.234\n", "AAPL 1.234\n", "AAPL=1,234\n"])(
    "a mark that can be either is a question where people write decimal commas, and without a table: %j",
    (content) => {
      expect(questionOf(content)).toMatchObject({ param: "decimal", allowed: ["point", "comma"] });
    },
  );
});

test("a transaction in the future is left out of a file of Portfolio Performance", () => {
  const trade = (date: string) =>
    `<portfolio-transaction><date>${date}T00:00</date><security reference="2"/><shares>100000000</shares><type>BUY</type></portfolio-transaction>`;
  const file = `<client><version>69</version><securities><security id="2"><name>Apple</name><tickerSymbol>AAPL</tickerSymbol></security></securities><portfolios>${trade("2026-11-20")}${trade("2026-11-21")}</portfolios></client>`;
  expect(readShort(file)).toMatchObject({
    items: ["AAPL Apple 1"],
    remarks: ["transaction 2 AAPL: left out: its date 2026-11-21 is in the future"],
  });
});

describe("the status of an order", () => {
  const orders = (header: string, ...all: string[]) =>
    readShort(lines(`Date;Symbol;Side;${header}`, ...all.map((one) => `2026-01-05;${one}`))).items;

  test.each([
    ["Quantity;Status", "Executed", "gestrichen"],
    ["Quantity;Statut", "Exécuté", "Annulé"],
    ["Quantity;Estado", "Ejecutada", "Rechazada"],
    ["Quantity;Stato", "Eseguito", "Rifiutato"],
    ["Quantity;状態", "約定", "失効"],
    ["Quantity;Tình trạng", "Khớp hết", "Từ chối"],
  ])("of what was not carried out (%s, %s, %s)", (header, done, open) => {
    expect(orders(header, `AAPL;Buy;5;${done}`, `AAPL;Buy;7;${open}`)).toEqual(["AAPL 5"]);
  });

  test("of a part needs the shares that were executed", () => {
    const part = "AAPL;Buy;10;3;Partially filled";
    expect(orders("Quantity;Remaining;Status", part, "F;Buy;2;0;Filled")).toEqual([
      "AAPL uncertain",
      "F 2",
    ]);
    expect(orders("Quantity;Filled qty;Status", part)).toEqual(["AAPL 3"]);
    const cancelled = "AAPL;Buy;10;3;Partially cancelled";
    expect(orders("Total qty;Filled;Status", cancelled)).toEqual(["AAPL 3"]);
  });

  test("of an unknown word says something only beside other words", () => {
    expect(orders("Quantity;Status", "AAPL;Buy;5;Zut", "F;Buy;2;Zut")).toEqual(["AAPL 5", "F 2"]);
    expect(orders("Quantity;Status", "AAPL;Buy;5;Zut", "F;Buy;2;Filled")).toEqual([
      "AAPL uncertain",
      "F 2",
    ]);
  });

  test("of a position that is held is open", () => {
    for (const header of ["Long/Short", "L/S"]) {
      const file = lines(
        `Symbol,${header},Quantity,Status`,
        "AAPL,Long,10,Open",
        "F,Short,-5,Open",
        "GM,Long,7,Closed",
      );
      expect(readShort(file).items).toEqual(["AAPL 10", "F -5"]);
    }
  });
});

describe("a column of numbers that are no shares held", () => {
  test("amounts that are paid and received show sales without naming them", () => {
    const file = (amount: string) =>
      lines("Date,Symbol,Quantity,Price,Amount", "2026-01-05,AAPL,5,200,-1000", amount);
    expect(readShort(file("2026-01-06,MSFT,2,200,400")).items).toEqual([
      "AAPL uncertain",
      "MSFT uncertain",
    ]);
    expect(readShort(file("2026-01-06,MSFT,2,200,400").replace("-1000", "(1000)")).items).toEqual([
      "AAPL uncertain",
      "MSFT uncertain",
    ]);
    expect(readShort(file("2026-01-06,MSFT,2,200,-400")).items).toEqual(["AAPL 5", "MSFT 2"]);
  });

  test("gains and losses are no amounts that were paid", () => {
    const file = lines(
      "Symbol,Quantity,Price,Value,Value gain",
      "AAPL,5,200,1000,-100",
      "MSFT,2,200,400,90",
    );
    expect(readShort(file).items).toEqual(["AAPL 5", "MSFT 2"]);
  });

  test("`Position` beside a volume and a side is an identifier", () => {
    const file = lines("Position,Symbol,Type,Volume,Price", "1,AAPL.US,BUY,5,200");
    expect(readShort(file).items).toEqual(["AAPL.US uncertain"]);
    const held = lines("Symbol,Position,Last,Volume", "AAPL,5,200,1000000");
    expect(readShort(held).items).toEqual(["AAPL 5"]);
  });

  test("a lot that was sold is not held", () => {
    const file = lines(
      "Symbol,Quantity,Date Acquired,Date Sold,Proceeds",
      "AAPL,5,2025-01-05,2026-01-05,1000",
      "F,3,2025-01-05,,",
    );
    expect(readShort(file)).toEqual({
      program: "CSV",
      items: ["F 3"],
      remarks: ["line 2 AAPL: left out: sold on '2026-01-05'"],
    });
  });

  test.each(["CXL BUY", "Busted buy", "Failed buy", "Limit buy created", "Undo buy"])(
    "%s is no purchase",
    (word) => {
      const file = lines("Date,Symbol,Action,Quantity", "2026-01-05,AAPL,Buy,5");
      expect(readShort(`${file}2026-01-06,AAPL,${word},5`).items).toEqual(["AAPL uncertain"]);
    },
  );

  test("an option without the day of its end is no share", () => {
    const file = lines("Symbol,Description,Quantity", "AAPL,AAPL Jan 2027 200 Call,1", "AAPL,,5");
    expect(readShort(file).items).toEqual(["AAPL 5"]);
  });
});

test.each([
  ['Code,Stock,Units held,Price (pence)\nVOD,Vodafone,"1,500",72.5\n', "VOD 1500"],
  ["Instrument Code,Market Code,Quantity,Transaction Type\nTLS,ASX,100,BUY\n", "TLS 100"],
  ["Financial Instrument,Position,Last\nAAPL NASDAQ.NMS,−50,200\n", "AAPL NASDAQ.NMS -50"],
  ["Namn;Kortnamn;Volym;ISIN\nApple;AAPL;12,5;US0378331005\n", "US0378331005 Apple 12.5"],
  ["Mã cổ phiếu,Lệnh,Khối lượng khớp\nTCB,Lệnh bán,5\nTCB,Lệnh mua,8\n", "TCB 3"],
])("further names of columns (%#)", (content, item) => {
  expect(readShort(content).items).toEqual([item]);
});
