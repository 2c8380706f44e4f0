import { expect, test } from "bun:test";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { RecordKind } from "#domain/records.ts";
import { LARGEST_COUNT } from "#ingest/progress.ts";
import { countryKeys } from "#ingest/schedule.ts";
import type { Fetcher } from "#sources/fetcher.ts";
import { FETCHERS } from "#sources/index.ts";
import { openFolder } from "../support/access.ts";
import { PLAYED_AT } from "../support/played-answer.ts";
import { IN_FRAMES, JP_LISTED } from "../support/played-markets.ts";
import { US_COMPANIES } from "../support/played-companies.ts";
import { startPlayedService } from "../support/played-service.ts";
import { playSources } from "../support/played-sources.ts";
import { countFetches, createVirtualTime } from "../support/virtual-time.ts";
import { listInstruments } from "../support/market.ts";

const MINUTE = 60_000;

/** True for a fetcher of a list that needs no setting. */
const isOf = ({ scope, source, ...one }: Fetcher, kind: RecordKind, country: Country) =>
  scope === "country" &&
  one.kind === kind &&
  one.countries.includes(country) &&
  !source.isOffByDefault &&
  !source.key?.required;

test("an empty folder has sectors of all countries in three minutes, and whole lists at the pace of Yahoo's closes, beside companies", async () => {
  using folder = openFolder();
  const played = await playSources();
  using fetches = countFetches();
  const time = createVirtualTime(PLAYED_AT, () => fetches.running() > 0);
  // As `serve` runs: companies that their first source does not know go on to Yahoo.
  const service = await startPlayedService(folder.path, played, {
    time,
    patience: time.sleep,
    largest: LARGEST_COUNT,
  });
  const { market, live } = service;
  /** The minutes after which each list was complete. */
  const after = new Map<string, number>();
  /** The requests to a source while a call waits for its record and lists are fetched from the source. */
  const waited: Promise<string[]>[] = [];
  const callFor = async (kind: RecordKind, source: string) => {
    const before = played.calls.length;
    const { error } = await live.refresher.refresh(
      { kind, country: "US", symbol: "AAPL" },
      { probe: true },
    );
    expect(error).toBeNull();
    const calls = played.calls.slice(before).filter((call) => call.source === source);
    return calls.map(({ address }) => address);
  };
  const running = live.schedule.run({
    stopped: () => after.has("recentCloses JP"),
    onOutcome: ({ kind, country, symbol, error }) => {
      expect(error).toBeNull();
      if (symbol !== null) return;
      after.set(`${kind} ${country}`, (time.now - PLAYED_AT) / MINUTE);
      if (kind === "quotes" && country === "VN")
        waited.push(callFor("quotes", "yahoo"), callFor("statements", "sec"));
    },
  });
  // The source's limits are the only waits.
  const minutes = (await time.passUntil(running)) / MINUTE;
  for (const country of COUNTRY_CODES)
    for (const kind of ["instruments", "classifications", "quotes"])
      expect(after.get(`${kind} ${country}`)).toBeLessThan(3);
  expect(after.get("quotes US")).toBeLessThan(1);
  for (const { kind, country } of countryKeys())
    if (FETCHERS.some((one) => isOf(one, kind, country)))
      expect(after.get(`${kind} ${country}`)).toBeLessThan(kind === "recentCloses" ? 20 : 5);
  // Yahoo gives the closes of ten companies a request, and gets one request a second. All else adds a tenth.
  const closesMinutes = (US_COMPANIES + JP_LISTED.stock) / 10 / 60;
  expect(minutes).toBeLessThan(1.1 * closesMinutes + 1);
  const countCalls = (source: string) =>
    played.calls.filter((call) => call.source === source).length;
  // Yahoo's lists hold no company of another source, although most of them go on to Yahoo.
  expect(countCalls("entrade")).toBeGreaterThan(LARGEST_COUNT - 10);
  // A call does not wait behind the lists, which need hundreds of requests. Usually only the requests that are
  // under way go first: one of Yahoo, two of the SEC. On a slow machine the virtual clock also passes while
  // the call is prepared, so a few more of them may go first.
  const [forQuote = [], forStatements = []] = await Promise.all(waited);
  const orderOf = (calls: string[], part: string) => calls.findIndex((one) => one.includes(part));
  expect(orderOf(forQuote, "quote?symbols=AAPL")).toBeWithin(0, 10);
  expect(orderOf(forStatements, "companyfacts/CIK0000320193")).toBeWithin(0, 10);
  for (const source of ["yahoo", "sec"]) expect(countCalls(source)).toBeGreaterThan(100);
  // The lists are as long as real ones.
  expect(minutes).toBeGreaterThan(closesMinutes);
  expect(market.documents.listAges("recentCloses", "US").length).toBeGreaterThan(US_COMPANIES);
  const getSectors = () => service.get("/data/sectors?country=US");
  // 503 means that the figures are still being computed, for longer on a slow machine.
  let sectors = await getSectors();
  while (sectors.status === 503) sectors = await getSectors();
  expect(((await sectors.json()) as { data: { sectors: object } }).data.sectors).toMatchObject({
    technology: { stats: { pe_median: 20, reliable: true } },
  });
  // After the last request: it takes long enough for an idle connection to be closed.
  const reported = listInstruments(market, "US").filter(({ symbol }) =>
    market.statements.list({ country: "US", symbol }).some(({ source }) => source === "sec"),
  );
  // Apple was requested alone.
  expect(reported).toHaveLength(IN_FRAMES + 1);
  await service.stop();
  await played.stop();
}, 600_000);
