import { afterAll, describe, expect, test } from "bun:test";
import { createListFiles } from "#service/list-files.ts";
import type { ListPreview } from "#operations/portfolio/list-preview.ts";
import { ConsoleClient, refusalOf } from "../support/console-client.ts";
import { expectError } from "../support/error.ts";
import { openTestMarket } from "../support/market.ts";
import { startService } from "../support/service.ts";

const service = await startService();
for (const name of ["alice", "bob"]) service.accounts.addUser(name, "max");
const alice = await new ConsoleClient(service).signIn("alice");
const bob = await new ConsoleClient(service).signIn("bob");
afterAll(() => service.stop());

const FILE = { "content-type": "application/octet-stream" };

/** Sends a file as a page does, without a length if it is a stream. */
const upload = (content: string | ReadableStream, query = "file=My%20list.csv", client = alice) =>
  client.send("POST", `list-preview?${query}`, { body: content, headers: FILE });

describe("the preview of a file", () => {
  test("shows what is understood and stores nothing; its items are then saved as a list", async () => {
    const response = await upload("Symbol,Shares,Cost\nAAPL,2,9\nTSE:7203,3,\nNVDIA,1,\nEUR,5,\n");
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const preview = (await response.json()) as ListPreview;
    expect(preview).toMatchObject({
      program: "CSV",
      name: "my-list",
      items: [
        { place: "line 2", item: { country: "US", symbol: "AAPL", shares: 2 }, name: "Apple Inc." },
        { place: "line 3", item: { country: "JP", symbol: "7203", shares: 3 } },
      ],
      notUnderstood: [
        {
          place: "line 4",
          written: "NVDIA",
          closest: { item: { country: "US", symbol: "NVDA", shares: 1 } },
        },
      ],
      remarks: [{ place: "line 5", written: "EUR" }],
      notRead: ["Cost"],
    });
    expect(await alice.get("lists")).toEqual([]);

    const items = preview.items.map(({ item }) => item);
    const saved = await alice.send("PUT", `lists/${preview.name}`, { body: { items } });
    expect(saved.status).toBe(200);
    const file = await alice.send("GET", "lists/my-list/file");
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="my-list.csv"');
    const text = await file.text();
    expect(text).toBe("country,symbol,shares,weight,note\r\nUS,AAPL,2,,\r\nJP,7203,3,,\r\n");
    const again = (await (await upload(text)).json()) as ListPreview;
    expect(again.items.map(({ item }) => item)).toEqual(items);
    expect(await (await alice.send("GET", "lists/my-list/file?format=tradingview")).text()).toBe(
      "NASDAQ:AAPL,TSE:7203\n",
    );
    expect((await bob.send("GET", "lists/my-list/file")).status).toBe(404);
  });

  test("takes the decimal mark, and a file without a name", async () => {
    const preview = (await (
      await upload("Symbol;Stück\nAAPL;1.500\n", "decimal=comma")
    ).json()) as ListPreview;
    expect(preview.items[0]?.item.shares).toBe(1500);
    expect(preview.name).toBe("csv");
  });

  test("asks where a file has two readings, with what can be sent instead", async () => {
    const question = async (content: string, query: string) =>
      (
        (await (await upload(content, query)).json()) as {
          error?: { param?: string; allowed?: string[] };
        }
      ).error;
    const dated = "Date,Symbol,Type,Quantity\n05/02/2098,AAPL,Buy,1\n03/04/2024,AAPL,Buy,1\n";
    const rows =
      "Date,Symbol,Type,Quantity,Note\n05/02/2024,AAPL,Buy,1,\n03/04/2024,AAPL,Split,,4:1\n06/03/2024,AAPL,Buy,1,\n";
    expect(await question(rows, "")).toMatchObject({
      param: "date-order",
      allowed: ["dmy", "mdy"],
    });
    expect(await question(dated, "")).toBeUndefined();
    const totals = "Symbol,Quantity\nAAPL,60\nAAPL,30\nTotal AAPL,100\n";
    expect(await question(totals, "")).toMatchObject({
      param: "count",
      allowed: ["totals", "lots"],
    });
    const sharesOf = async (content: string, query: string) =>
      ((await (await upload(content, query)).json()) as ListPreview).items[0]?.item.shares;
    expect(await sharesOf(rows, "date-order=dmy")).toBe(8);
    expect(await sharesOf(totals, "count=lots")).toBe(90);
  });

  test.each([
    [
      "an XML bomb",
      '<!DOCTYPE a [<!ENTITY b "c">]><client>&b;</client>',
      "",
      400,
      "the XML cannot be read: it has a DOCTYPE",
    ],
    ["deep JSON", "[".repeat(100_000), "", 400, "nested more than 32 levels"],
    ["nothing", "", "", 400, "names no instrument"],
    ["a mark that can be either", "Symbol;Stück\nAAPL;1.500\n", "", 400, "--decimal"],
    ["OFX", "OFXHEADER:100\n<OFX>", "", 400, "this is an OFX or QFX file"],
    ["an unknown order", "AAPL", "date-order=x", 400, "date-order must be one of dmy, mdy, ymd"],
    ["an unknown mark", "AAPL", "decimal=dot", 400, "decimal must be one of point, comma"],
    [
      "a name with control characters",
      "<gpx/>",
      "file=%1b[31mred%0a",
      400,
      "[31mred, line 1: this is XML",
    ],
    ["33 MiB", "A".repeat(33 * 2 ** 20), "", 413, "larger than 32 MiB"],
  ])("refuses %s", async (_, content, query, status, words) => {
    const refusal = await refusalOf(await upload(content, query));
    expect(refusal[0]).toBe(status);
    expect(refusal[1]).toContain(words);
    expect(refusal[1]).not.toMatch(/\p{Cc}/u);
  });

  test("answers other requests while it reads, and many files after each other", async () => {
    const prices = '<price t="2026-01-05" v="1"/>'.repeat(100_000);
    const xml = `<client><version>69</version><securities><security><tickerSymbol>AAPL</tickerSymbol><prices>${prices}</prices></security></securities></client>`;
    const order: string[] = [];
    const reads = [1, 2, 3].map(async () => {
      const { status } = await upload(xml);
      order.push("file");
      return status;
    });
    await alice.get("lists");
    order.push("lists");
    expect(await Promise.all(reads)).toEqual([200, 200, 200]);
    expect(order.at(-1)).toBe("file");
  });
});

test("bodies that do not end keep no file waiting", async () => {
  const ends: (() => void)[] = [];
  const slow = Array.from({ length: 13 }, () =>
    upload(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("Symbol,Shares\nAAPL,1\n"));
          ends.push(() => controller.close());
        },
      }),
    ),
  );
  expect((await upload("AAPL")).status).toBe(200);
  for (const end of ends) end();
  for (const { status } of await Promise.all(slow)) expect([200, 503]).toContain(status);
});

test("the reading of a file ends with its page", async () => {
  using world = openTestMarket();
  const { readList } = createListFiles(world.market, () => 1_000);
  const client = new AbortController();
  const bytes = new TextEncoder().encode(`Symbol,Shares\n${"AAPL,1\n".repeat(20_000)}`);
  const reading = readList({ name: "a.csv", answers: {}, bytes, client });
  client.abort();
  expect((await expectError(() => reading, "invalid_argument")).message).toContain("has gone");
});

test("one file is read at a time", async () => {
  using world = openTestMarket();
  const { readList } = createListFiles(world.market, () => 1_000);
  const ended: number[] = [];
  const read = async (rows: number) => {
    const bytes = new TextEncoder().encode(`Symbol,Shares\n${"AAPL,1\n".repeat(rows)}`);
    await readList({ name: "a.csv", answers: {}, bytes });
    ended.push(rows);
  };
  await Promise.all([read(2_000), read(1)]);
  expect(ended).toEqual([2_000, 1]);
});

test("the reading of a file ends after 5 seconds", async () => {
  using world = openTestMarket();
  let now = 1_000;
  const { readList } = createListFiles(world.market, () => (now += 100));
  const read = (rows: number) => {
    const bytes = new TextEncoder().encode(`Symbol,Shares\n${"AAPL,1\n".repeat(rows)}`);
    return readList({ name: "a.csv", answers: {}, bytes });
  };
  expect((await read(1)).program).toBe("CSV");
  const { message } = await expectError(() => read(20_000), "invalid_argument");
  expect(message).toContain("takes more than 5 seconds: export fewer rows");
});

test("the file of a list in an unknown format or of an unknown name is refused", async () => {
  expect(await refusalOf(await alice.send("GET", "lists/my-list/file?format=pdf"))).toEqual([
    400,
    "format must be one of csv, tradingview, yahoo.",
  ]);
  expect((await alice.send("GET", "lists/none/file")).status).toBe(404);
});
