import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { childEnv, outputOf } from "../support/child-process.ts";
import { installTools } from "../support/npm-tools.ts";
import { startForPrograms } from "../support/program-service.ts";

// Not part of the suite: it needs the Debian packages khal, python3-icalendar and python3-vobject, and npm packages.

const { service, folder } = await startForPrograms();
const { link } = service.createFeedLink();

/** Debian's Python, which has Debian's modules. */
const PYTHON = "/usr/bin/python3";
const hasModules =
  Bun.spawnSync([PYTHON, "-c", "import icalendar, vobject"], { stderr: "ignore" }).exitCode === 0;

let files = 0;
/** Saves a calendar, and returns its path. */
async function save(query: string): Promise<string> {
  const url = `${service.origin}/feed/${link}/calendar/calendar.ics?${query}`;
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const path = join(folder, `${files++}.ics`);
  await Bun.write(path, await response.arrayBuffer());
  return path;
}

/** Prints how many events each library reads, after vobject's check, and the first event as icalendar reads it. */
const READ = `
import icalendar, json, sys, vobject
path = sys.argv[1]
read = icalendar.Calendar.from_ical(open(path, "rb").read())
events = read.walk("VEVENT")
assert not any(event.errors for event in events)
other = vobject.readOne(open(path, encoding="utf-8").read())
other.validate(raiseException=True)
first = events[0]
print(json.dumps({
    "icalendar": len(events),
    "vobject": len(other.vevent_list),
    "start": first["DTSTART"].dt.isoformat(),
    "summary": first["SUMMARY"],
    "sequence": first["SEQUENCE"],
}))
`;

interface ReadCalendar {
  readonly icalendar: number;
  readonly vobject: number;
  readonly start: string;
  readonly summary: string;
  readonly sequence: number;
}

describe.skipIf(!hasModules)("icalendar and vobject", () => {
  test.each([
    ["kinds=earnings&tickers=AAPL", "2027-", "AAPL earnings"],
    ["kinds=dividends&tickers=AAPL", "20", "AAPL ex-dividend"],
    ["kinds=dividends&tickers=7203.T", "20", "7203 ex-dividend"],
    ["kinds=dividends&tickers=FPT", "20", "FPT ex-dividend"],
    ...["US", "JP", "VN"].flatMap((country) => [
      [`kinds=releases&country=${country}`, "+00:00", country] as const,
      [`kinds=holidays&country=${country}`, "20", `${country} exchange closed`] as const,
    ]),
  ] as const)("read %s", async (query, start, summary) => {
    const path = await save(query);
    const read = JSON.parse(await outputOf([PYTHON, "-c", READ, path])) as ReadCalendar;
    expect(read.icalendar).toBe((await Bun.file(path).text()).split("BEGIN:VEVENT").length - 1);
    expect(read.vobject).toBe(read.icalendar);
    expect(read.start).toContain(start);
    expect(read.summary).toStartWith(summary);
  });

  test("read a split", async () => {
    const { documents } = service.market;
    const split = { exDate: "2026-11-18", numerator: 4, denominator: 1 };
    const provenance = { source: "import", storedAt: service.time.now };
    documents.put("splits", [{ country: "JP", symbol: "7203", splits: [split] }], provenance);
    const path = await save("kinds=splits&tickers=7203.T");
    const read = JSON.parse(await outputOf([PYTHON, "-c", READ, path])) as ReadCalendar;
    expect(read).toMatchObject({ start: "2026-11-18", summary: "7203 split 4:1", icalendar: 1 });
  });
});

const KHAL = (path: string) => `[calendars]
[[bourse]]
path = ${path}/events
[locale]
local_timezone = UTC
default_timezone = UTC
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
[sqlite]
path = ${path}/khal.db
`;

describe.skipIf(!Bun.which("khal"))("khal", () => {
  const config = join(folder, "khal.conf");
  mkdirSync(join(folder, "events"));
  const run = (...args: string[]) =>
    outputOf(["khal", "-c", config, ...args], {
      env: childEnv({ HOME: folder, LC_ALL: "C.UTF-8" }),
    });

  test("imports a calendar, lists its days and moments, and imports it again without doubles", async () => {
    await Bun.write(config, KHAL(folder));
    const path = await save("tickers=AAPL,7203.T,HOSE:FPT");
    const list = () =>
      run("list", "--once", "--format", "{start-date} {start-time} {title}", "2026-11-24", "80d");
    await run("import", "--batch", "-a", "bourse", path);
    const listed = await list();
    expect(listed).toContain("2026-11-26  US exchange closed: Thanksgiving Day");
    expect(listed).toContain("2026-11-25 13:30 US Initial jobless claims");
    expect(listed).toContain("2027-01-11  JP exchange closed: Coming of Age Day");
    expect(listed).toContain("VN exchange closed: Lunar New Year (Tet)");
    expect(listed).toMatch(/2027-0\d-\d\d {2}AAPL earnings Q1 2027, after the close/);
    await run("import", "--batch", "-a", "bourse", path);
    expect(await list()).toBe(listed);
  });
});

const npm = await installTools(folder, { feedsmith: "3.0.1", "rss-parser": "3.13.0" });

describe.skipIf(!npm.isInstalled)("feedsmith and rss-parser", () => {
  const READ_NEWS = `
    import { parseAtomFeed } from "feedsmith";
    import Parser from "rss-parser";
    const text = await (await fetch(process.argv[2])).text();
    const { id, title, updated, entries = [] } = parseAtomFeed(text);
    const { items } = await new Parser().parseString(text);
    console.log(JSON.stringify({ id, title, updated, entries: entries.length, first: entries[0], items }));`;

  test("read the news of a market and of companies", async () => {
    await npm.write("news.mjs", READ_NEWS);
    const url = `${service.origin}/feed/${link}/calendar/calendar.atom?tickers=AAPL,7203.T&country=US`;
    const { output } = await npm.run("node", "news.mjs", url);
    const read = JSON.parse(output);
    expect(read.title.value).toBe("bourse");
    expect(read.id).toStartWith("tag:bourse,2026:calendar");
    expect(read.first.updated).toBe(read.updated);
    expect(read.entries).toBeGreaterThan(10);
    expect(read.items).toHaveLength(read.entries);
    expect(read.items[0]).toMatchObject({ id: read.first.id, title: read.first.title.value });
    const ids = read.items.map((one: { id: string }) => one.id);
    expect(new Set(ids).size).toBe(read.entries);
  });
});
