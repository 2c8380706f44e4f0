import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BourseError } from "#domain/errors.ts";
import { readAddress } from "#http/feed-address.ts";
import { authorizationOf } from "#http/feed-link.ts";
import { readRange } from "#http/byte-range.ts";
import { TrustedProxies } from "#http/client-address.ts";
import { prefersCsv } from "#http/format.ts";
import { isHeld, qualitiesOf } from "#http/headers.ts";
import { IMPORT_KINDS, type ImportName } from "#imports/import-kinds.ts";
import { readListFile } from "#imports/lists/read.ts";
import { parseBarFiles, parseRecordFiles, recordTemplate } from "#imports/records-file.ts";
import { checkBatch } from "#ingest/batch.ts";
import { CsvError } from "#lib/csv.ts";
import { WorkbookError } from "#lib/workbook-error.ts";
import { readWorkbook } from "#lib/workbook.ts";
import { parseMessage } from "#mcp/json-rpc.ts";
import { parseReport } from "#sources/edinet/report.ts";
import type { Fetcher, LiveQuery } from "#sources/fetcher.ts";
import { FETCHERS } from "#sources/index.ts";
import { answerOf } from "#sources/source-response.ts";
import {
  type SourceAnswer,
  type SourceClient,
  SourceError,
  type SourceRequest,
} from "#sources/source.ts";
import { clientOf, queryOf } from "./support/describe-fetcher.ts";
import { TOYOTA_YEAR } from "./support/edinet.ts";
import { HOSTILE_TEXTS, repetitionsOf, variantsOf } from "./support/hostile-texts.ts";
import { slowness, threadMs } from "./support/pace.ts";
import { playSources, SOURCES_WITHOUT_REQUESTS } from "./support/played-sources.ts";
import { xlsxOfParts } from "./support/xlsx.ts";

// Not part of the suite (no .test in its name): it measures time.

/** The longest time of one turn on a quiet machine, beyond that for the text without a hostile part. */
const MAX_TURN_MS = 50;
/** A slow turn is measured again, because the first ones are compiled, or collect garbage. */
const MEASUREMENTS = 5;
/** Slow variants that are named. */
const MOST_NAMED = 3;
/** The characters that one reader reads in all. Of the pairs of a place and a text, the first and every nth next one are read. */
const MAX_CHARACTERS = 60_000_000;

const TODAY = "2026-11-20";

/** Reads a text. Each item is a turn. */
type Read = (text: string) => Iterable<unknown> | AsyncIterable<unknown>;

const encode = (text: string) => new TextEncoder().encode(text);

/** Errors that say what is wrong with a text. */
const REFUSALS = [BourseError, CsvError, SourceError, WorkbookError];

/** The longest turn of reading a text, in milliseconds. @throws every error that refuses nothing */
async function longestTurn(read: Read, text: string): Promise<number> {
  let longest = 0;
  let begun = threadMs();
  const endTurn = () => {
    const now = threadMs();
    longest = Math.max(longest, now - begun);
    begun = now;
  };
  try {
    for await (const _ of read(text)) endTurn();
  } catch (error) {
    if (!REFUSALS.some((kind) => error instanceof kind)) throw error;
  }
  endTurn();
  return longest;
}

/** The shortest of several measurements of the longest turn; the first one within the bound or far above it ends them. */
async function measured(read: Read, text: string, bound: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < MEASUREMENTS && best > bound; i++) {
    best = Math.min(best, await longestTurn(read, text));
    if (best > 1_000 + bound) break;
  }
  return best;
}

/** The variants of a text that are read too slowly. */
async function findSlow(read: Read, text: string, readers = 1): Promise<string[]> {
  const usual = await measured(read, text, 1);
  const texts = Object.entries(HOSTILE_TEXTS);
  const variants = variantsOf(text);
  const characters = variants.length * texts.length * (text.length + 100_000) * readers;
  const step = Math.ceil(characters / MAX_CHARACTERS);
  const slow: string[] = [];
  for (const [i, variant] of variants.entries()) {
    for (const [j, [name, hostile]] of texts.entries()) {
      if ((i + j) % step !== 0) continue;
      const time = await measured(read, variant.with(hostile), usual + MAX_TURN_MS);
      if (time > usual + MAX_TURN_MS && time > usual + MAX_TURN_MS * slowness())
        slow.push(`${name}, ${variant.place}: ${Math.round(time)} ms`);
      if (slow.length === MOST_NAMED) return slow;
    }
  }
  return slow;
}

function* itemsOf(bytes: Uint8Array, name: ImportName, onBad: "refuse" | "skip") {
  const { records } = parseRecordFiles(name, [{ name: "a", pieces: [bytes] }], {
    today: TODAY,
    onBad,
  });
  // A command reads records without turns for other work.
  yield [...(records as Iterable<unknown>)].length;
}

const NAMES = Object.keys(IMPORT_KINDS) as ImportName[];

describe.each(NAMES)("import %s", (name) => {
  const csv = recordTemplate(name);
  const records = [
    ...(parseRecordFiles(name, [{ name: "a", pieces: [encode(csv)] }], { today: TODAY })
      .records as Iterable<{ record: unknown }>),
  ].map(({ record }) => JSON.stringify(record));
  test.each([
    ["CSV", csv],
    ["CSV with semicolons", csv.replaceAll(",", ";")],
    ["JSON", `[${records.join()}]`],
    ["JSON Lines", records.join("\n")],
  ])("%s", async (_, text) => {
    for (const onBad of ["refuse", "skip"] as const) {
      const read: Read = (one) => itemsOf(encode(one), name, onBad);
      expect(await findSlow(read, text, 2)).toEqual([]);
    }
  });
});

/** The two days of all files. */
const BARS = [
  "2024-01-12,187.15,188.44,183.89,185.64,82488700",
  "2024-01-15,184.22,185.88,183.43,184.25,58414500",
];
const HISTORIES: Readonly<Record<string, string>> = {
  plain: `Date,Open,High,Low,Close,Volume\n${BARS.join("\n")}\n`,
  "a note above, decimal commas":
    "Kurs in USD\nDatum;Erster;Hoch;Tief;Schlusskurs;Stücke;Währung\n12.01.2024;187,15;188,44;183,89;185,64;82.488.700;USD\n15.01.2024;184,22;185,88;183,43;184,25;58.414.500;USD\n",
  "no header": BARS.map((bar) => `AAPL,${bar}\n`).join(""),
  "three rows of a header": `Price,Open,High,Low,Close,Volume\nTicker,AAPL,AAPL,AAPL,AAPL,AAPL\nDate,,,,,\n${BARS.join("\n")}\n`,
  "zones, units and splits":
    "Symbol,Time,Timezone,Open (USD),High,Low,Close,Volume (thousand),Stock Splits\nAAPL,2024-01-12 16:00:00,UTC,187.15,188.44,183.89,185.64,82488.7K,0\nAAPL,2024-01-15 16:00:00,UTC,184.22,185.88,183.43,184.25,58414.5K,0\n",
  "objects of JSON":
    '{"meta":{"currency":"USD","timezone":"UTC"},"values":[{"date":"2024-01-12","open":"187.15","high":"188.44","low":"183.89","close":"185.64","volume":1}]}',
  "arrays of JSON":
    '{"t":[1705069800,1705329000],"o":[187.15,184.22],"h":[188.44,185.88],"l":[183.89,183.43],"c":[185.64,184.25],"v":[1,2]}',
  "days of JSON":
    '{"Time Series (Daily)":{"2024-01-12":{"1. open":"187.15","2. high":"188.44","3. low":"183.89","4. close":"185.64","5. volume":"1"}}}',
};

test.each(Object.entries(HISTORIES))("import bars of one instrument: %s", async (_, text) => {
  const history = { country: "US", symbol: "AAPL", assetType: "stock" } as const;
  for (const onBad of ["refuse", "skip"] as const) {
    const read: Read = function* (one) {
      const files = [{ name: "a", pieces: [encode(one)] }];
      const { bars } = parseBarFiles(files, { today: TODAY, onBad, history });
      yield [...bars].length;
    };
    expect(await findSlow(read, text, 2)).toEqual([]);
  }
});

/** A file for each reader in `imports/lists`. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "beancount.ts": [
    'option "operating_currency" "USD"\n2024-01-01 commodity AAPL\n  name: "Apple"\n  price: "USD:yahoo/AAPL"\n2024-01-02 pad Assets:Broker Equity:Open\n2024-01-02 * "Buy" "it"\n  Assets:Broker  10 AAPL {185.2 USD} @ 186 USD\n  Assets:Cash  -1852 USD\n2024-02-02 balance Assets:Broker  10 AAPL\n',
  ],
  "json.ts": [
    '{"meta":{"date":"2024-01-01"},"activities":[{"accountId":"x","comment":"c","quantity":3,"type":"BUY","unitPrice":180,"currency":"USD","dataSource":"YAHOO","date":"2024-01-02T00:00:00.000Z","symbol":"AAPL"}]}',
  ],
  "own.ts": ["country,symbol,shares,weight,note\nUS,AAPL,10,,x\nUS,MSFT,5,,\n"],
  "plain.ts": [
    "# mine\nAAPL 10\nNASDAQ:MSFT\nApple Inc (AAPL)\n$TSLA $NVDA\n",
    "###Tech,NASDAQ:AAPL,NASDAQ:MSFT,NYSE:IBM/NYSE:GE",
  ],
  "portfolio-performance.ts": [
    '<?xml version="1.0"?>\n<client id="1"><version>66</version><baseCurrency>EUR</baseCurrency><securities><security id="2"><uuid>u1</uuid><name>Apple</name><currencyCode>USD</currencyCode><isin>US0378331005</isin><tickerSymbol>AAPL</tickerSymbol><prices><price t="2024-01-02" v="1"/></prices></security></securities><portfolios><portfolio id="9"><name>Depot</name><transactions><portfolio-transaction id="12"><date>2024-01-02T00:00</date><security reference="2"/><shares>1000000000</shares><type>DELIVERY_INBOUND</type></portfolio-transaction></transactions></portfolio></portfolios></client>',
  ],
  "statement.ts": [
    "Statement,Header,Field Name,Field Value\nStatement,Data,Title,Activity\nOpen Positions,Header,DataDiscriminator,Asset Category,Currency,Symbol,Quantity,Mult,Cost Price\nOpen Positions,Data,Summary,Stocks,USD,AAPL,10,1,185.2\nOpen Positions,Data,Lot,Stocks,USD,AAPL,10,1,185.2\nOpen Positions,Total,,Stocks,USD,,,,1852\n",
  ],
  "table.ts": [
    "Account,Symbol,ISIN,Name,Shares,Price,Currency,Exchange,Weight,Note,Type\nX1,AAPL,US0378331005,Apple Inc.,10,185.2,USD,NASDAQ,50%,good,Stock\nX1,MSFT,US5949181045,Microsoft,5,400,USD,NASDAQ,50%,,Stock\n",
    "Symbol,Account,Quantity\nAAPL,X1,60\nAAPL,X1,30\nAAPL,Total,90\nTotal MSFT,,5\nMSFT,X1,5\n",
    "Date;Type;Symbol;Name;Quantity;Price;Amount;Status\n12.01.2024;Buy;AAPL;Apple;10;185,2;1852;Filled\n15.01.2024;Sell;AAPL;Apple;5;185,2;926;Filled\n",
    '銘柄コード,銘柄名,売買区分,約定数量,約定日\n7203,トヨタ自動車,買付,"1,000",2024年1月4日\n6758,ソニーグループ,売付,100,2024年1月5日\n',
  ],
};

describe("lists", () => {
  test("have a text for each reader", () => {
    const folder = join(import.meta.dir, "../src/imports/lists");
    const readers = readdirSync(folder).filter((file) =>
      /^export function\*? (?:read[A-Z]\w*\((?!written)|\w+Table\()/m.test(
        readFileSync(join(folder, file), "utf8"),
      ),
    );
    expect(Object.keys(LISTS)).toEqual(readers.filter((file) => file !== "read.ts").toSorted());
  });

  const read: Read = (text) => readListFile("a", encode(text), { today: TODAY });
  test.each(Object.entries(LISTS))("%s", async (_, texts) => {
    for (const text of texts) expect(await findSlow(read, text, texts.length)).toEqual([]);
  });
  test.each(Object.entries(LISTS))("%s with rows again and again", async (_, texts) => {
    const slow: string[] = [];
    for (const { place, text } of texts.flatMap(repetitionsOf)) {
      const time = await measured(read, text, MAX_TURN_MS);
      if (time > MAX_TURN_MS) slow.push(`${place}: ${Math.round(time)} ms`);
    }
    expect(slow).toEqual([]);
  });
});

describe("a workbook", () => {
  const PARTS: Readonly<Record<string, string>> = {
    "xl/workbook.xml":
      '<workbook xmlns:r="r"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml":
      '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>b</t></is></c><c><v>1</v></c></row></sheetData></worksheet>',
    "xl/sharedStrings.xml": "<sst><si><r><t>a</t></r><rPh><t>x</t></rPh></si></sst>",
  };
  test.each(Object.entries(PARTS))("%s", async (part, xml) => {
    const read: Read = function* (text) {
      yield readWorkbook(xlsxOfParts({ ...PARTS, [part]: text }));
    };
    expect(await findSlow(read, xml)).toEqual([]);
  });
});

test("a report of EDINET", async () => {
  const filing = { id: "S1", form: "annual", filedOn: TODAY, corrects: null } as const;
  const read: Read = function* (csv) {
    yield parseReport({ filing, csv });
  };
  const table = "決算年月2022年3月2023年3月2024年3月2025年3月2026年3月";
  const block = `"jpcrp_cor:BusinessResultsOfGroupTextBlock"${"\t".repeat(8)}"${table}"\r\n`;
  expect(await findSlow(read, TOYOTA_YEAR + block)).toEqual([]);
});

describe("a request", () => {
  const ORIGIN = "http://127.0.0.1";
  const requestOf = (name: string, value: string) =>
    // The value of a header has no line ends and no characters beyond Latin-1.
    new Request(ORIGIN, { headers: { [name]: value.replaceAll(/[^ -~]/g, " ").trim() } });
  const proxies = new TrustedProxies(["10.0.0.0/8"]);
  const READERS: Readonly<Record<string, readonly [valid: string, read: (text: string) => void]>> =
    {
      accept: ["text/csv;q=0.9,application/json", (text) => prefersCsv(text)],
      "accept-encoding": ["gzip;q=0.5,zstd", (text) => qualitiesOf(text)],
      range: ["bytes=0-5", (text) => readRange(text, 100)],
      "if-none-match": ['W/"abc"', (text) => isHeld(requestOf("if-none-match", text), "abc")],
      "x-forwarded-for": [
        "10.0.0.1, 192.0.2.1",
        (text) => proxies.clientOf("10.0.0.1", requestOf("x-forwarded-for", text).headers),
      ],
      authorization: [
        "Bearer abc",
        (text) => authorizationOf(requestOf("authorization", text), null),
      ],
      "its address": [
        "/prices/csv?symbols=AAPL,MSFT",
        (text) => {
          const url = URL.parse(text, ORIGIN);
          if (url) readAddress({ url: url.href } as Request, url.pathname);
        },
      ],
      "its message": [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":"c"}}}',
        (text) => parseMessage(encode(text)),
      ],
    };
  test.each(Object.entries(READERS))("%s", async (_, [valid, read]) => {
    const readOnce: Read = function* (text) {
      yield read(text);
    };
    expect(await findSlow(readOnce, valid)).toEqual([]);
  });
});

/** The answers to the requests of a query, in their order, and a client with another text in place of one of them. */
async function playedAnswers(fetcher: Fetcher, query: LiveQuery) {
  const played = await playSources();
  const client = clientOf(fetcher, played.url);
  const answers = new Map<string, SourceAnswer>();
  const keyOf = (url: string, { method = "GET", body = "" }: SourceRequest) =>
    `${method} ${url} ${body}`;
  await fetcher.fetch(query, {
    key: "key",
    async request(url, options = {}) {
      const answer = await client.request(url, options);
      answers.set(keyOf(url, options), answer);
      return answer;
    },
  });
  await played.stop();
  const playing = (key: string, text: string): SourceClient => ({
    key: "key",
    async request(url, options = {}) {
      const found = keyOf(url, options);
      const answer = answers.get(found);
      if (!answer) throw fetcher.source.error("nothing", "HTTP 404");
      return found === key ? answerOf(fetcher.source, answer, encode(text)) : answer;
    },
  });
  return { answers, playing };
}

/** The most bodies of a fetcher that are replaced. Bodies of one address have one form. */
const MAX_BODIES = 3;

describe("the answers of", () => {
  const fetchers = FETCHERS.filter(({ source }) => !SOURCES_WITHOUT_REQUESTS.has(source.name));
  test.each(
    fetchers.map((fetcher) => [`${fetcher.source.name}: ${fetcher.kind}`, fetcher] as const),
  )("%s", async (_, fetcher) => {
    const [country = "US"] = fetcher.countries;
    const query = queryOf(fetcher, country);
    const { answers, playing } = await playedAnswers(fetcher, query);
    const byAddress = new Map<string, string>();
    for (const key of answers.keys()) {
      const [place = ""] = key.split("?");
      if (!/getcrumb|fc\.yahoo/.test(place)) byAddress.set(place.replaceAll(/\d+/g, "#"), key);
    }
    const keys = [...byAddress.values()].slice(0, MAX_BODIES);
    expect(keys).not.toEqual([]);
    for (const key of keys) {
      const read: Read = async function* (text) {
        const raw = await fetcher.fetch(query, playing(key, text));
        fetcher.others?.(raw, query);
        fetcher.covers?.(raw, query);
        yield checkBatch(fetcher.kind, fetcher.transform(raw, query));
      };
      const text = answers.get(key)?.text() ?? "";
      expect([key, await findSlow(read, text, keys.length)]).toEqual([key, []]);
    }
  });
});
