import { afterAll, describe, expect, test } from "bun:test";
import type { Cell } from "#lib/table.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();
const base = `${service.origin}/feed/${link}/openbb`;

interface Parameter {
  readonly paramName: string;
  readonly value: string;
  readonly label: string;
  readonly description: string;
  readonly type: string;
  readonly options?: readonly { readonly label: string; readonly value: string }[];
  readonly optionsEndpoint?: string;
}
interface Widget {
  readonly name: string;
  readonly description: string;
  readonly endpoint: string;
  readonly type: string;
  readonly category: string;
  readonly gridData: { readonly w: number; readonly h: number };
  readonly params?: readonly Parameter[];
  readonly data?: {
    readonly defaultSymbol?: string;
    readonly table?: { readonly columnsDefs: readonly Readonly<Record<string, unknown>>[] };
  };
}
interface Place {
  readonly i: string;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
interface App {
  readonly description: string;
  readonly tabs: Readonly<Record<string, { readonly id: string; readonly layout: Place[] }>>;
  readonly groups: readonly { readonly paramName: string; readonly widgetIds: string[] }[];
}
type Row = Readonly<Record<string, Cell>>;

async function read<T>(path: string): Promise<T> {
  const response = await fetch(`${base}/${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as T;
}

const payload = <T>(path: string) => service.payload<T>(path, token);

const widgets = await read<Record<string, Widget>>("widgets.json");
const apps = await read<App[]>("apps.json");

/** The endpoint of a widget with the first values of its parameters. */
const firstCall = ({ endpoint, params = [] }: Widget) =>
  `${endpoint}?${new URLSearchParams(params.map(({ paramName, value }) => [paramName, value] as [string, string])).toString()}`;

// The keys and values that the examples of OpenBB-finance/backends-for-openbb use (ec98192), without a copy of one.
const TYPES = ["table", "metric", "advanced_charting"];
const PARAMETER_TYPES = ["text", "endpoint"];
const COLUMN_VALUES: Readonly<Record<string, readonly string[]>> = {
  cellDataType: ["text", "number"],
  formatterFn: ["none", "int", "percent"],
  renderFn: ["greenRed"],
  chartDataType: ["category", "series"],
  pinned: ["left"],
};

describe("widgets.json", () => {
  test.each(Object.entries(widgets))("describes %s as the published examples do", (id, widget) => {
    for (const key of ["name", "description", "endpoint", "category", "type"] as const)
      expect(widget[key].length).toBeGreaterThan(0);
    expect(TYPES).toContain(widget.type);
    expect(widget.endpoint).toBe(id);
    const { w, h } = widget.gridData;
    expect([w >= 5 && w <= 40, h >= 4 && h <= 100]).toEqual([true, true]);
    for (const { type, value, label, description, options } of widget.params ?? []) {
      expect(PARAMETER_TYPES).toContain(type);
      expect([typeof value, typeof label, typeof description]).toEqual(Array(3).fill("string"));
      if (options) expect(options.map((one) => one.value)).toContain(value);
    }
    for (const column of widget.data?.table?.columnsDefs ?? [])
      for (const [key, value] of Object.entries(column)) {
        if (key === "field" || key === "headerName") expect(value).toBeString();
        else expect(COLUMN_VALUES[key]).toContain(String(value));
      }
  });

  test.each(Object.entries(widgets).filter(([, { type }]) => type === "table"))(
    "names an endpoint %s that answers a flat list with the columns",
    async (_, widget) => {
      const rows = await read<Row[]>(firstCall(widget));
      expect(rows.length).toBeGreaterThan(1);
      for (const row of rows)
        for (const value of Object.values(row))
          expect(value === null || typeof value !== "object").toBe(true);
      for (const { field, cellDataType } of widget.data?.table?.columnsDefs ?? []) {
        const values = rows.map((row) => row[String(field)] ?? null).filter((one) => one !== null);
        // Publications that are still to come have no actual figure.
        if (field !== "actual") expect([field, values.length > 0]).toEqual([field, true]);
        for (const value of values)
          expect(typeof value).toBe(cellDataType === "number" ? "number" : "string");
      }
    },
  );

  test("names endpoints that list choices as labels and values", async () => {
    const endpoints = Object.values(widgets).flatMap(({ params = [] }) =>
      params.flatMap(({ optionsEndpoint }) => optionsEndpoint ?? []),
    );
    for (const endpoint of new Set(endpoints)) {
      const choices = await read<{ label: string; value: string }[]>(endpoint);
      expect(choices.length).toBe(12);
      expect(choices).toContainEqual({ label: "Technology", value: "technology" });
      expect(choices[0]).toEqual({ label: "All", value: "" });
    }
  });
});

describe("a chart widget", () => {
  test("has the Universal Data Feed at its endpoint", async () => {
    const { endpoint, data } = widgets["chart"] as Widget;
    const symbol = encodeURIComponent(data?.defaultSymbol ?? "");
    expect(await read<object>(`${endpoint}/config`)).toMatchObject({ supports_search: true });
    expect(await read<object>(`${endpoint}/symbols?symbol=${symbol}`)).toMatchObject({
      ticker: "US:AAPL",
    });
    const bars = await read<{ s: string; t: number[] }>(
      `${endpoint}/history?symbol=${symbol}&resolution=1D&from=1790000000&to=1795000000`,
    );
    expect([bars.s, bars.t.length > 20]).toEqual(["ok", true]);
  });
});

describe("apps.json", () => {
  const layouts = apps.flatMap(({ tabs }) => Object.values(tabs).map(({ layout }) => layout));

  test("places every widget once, within 40 columns, none upon another", () => {
    expect(
      layouts
        .flat()
        .map(({ i }) => i)
        .toSorted(),
    ).toEqual(Object.keys(widgets).toSorted());
    for (const layout of layouts)
      for (const [n, a] of layout.entries()) {
        expect(a.x + a.w).toBeLessThanOrEqual(40);
        for (const b of layout.slice(n + 1)) {
          const isApart =
            a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
          expect([a.i, b.i, isApart]).toEqual([a.i, b.i, true]);
        }
      }
  });

  test("groups widgets that have the parameter, and names the MCP server", () => {
    for (const { description, tabs, groups } of apps) {
      for (const [id, tab] of Object.entries(tabs)) expect(tab.id).toBe(id);
      expect(description).toContain("/api/v1/svc/mcp");
      for (const { paramName, widgetIds } of groups)
        for (const id of widgetIds)
          expect(widgets[id]?.params?.map((one) => one.paramName)).toContain(paramName);
    }
  });
});

describe("the figures of widgets", () => {
  test.each([
    ["AAPL", "US", "AAPL", "USD"],
    ["7203.T", "JP", "7203", "JPY"],
    ["HOSE:FPT", "VN", "FPT", "VND"],
  ])("of %s are those of the operations", async (written, country, symbol, currency) => {
    const metrics = ["price", "change_percent", "market_cap", "pe"];
    const { columns, rows } = await payload<{ columns: string[]; rows: Cell[][] }>(
      `/data/stocks/compare?symbols=${country}:${symbol}&metrics=${metrics.join(",")}`,
    );
    const figure = (name: string) => rows[0]?.[columns.indexOf(name)] ?? null;
    const [quote] = await read<Row[]>(`quotes?symbols=${written}`);
    expect(metrics.map((name) => quote?.[name])).toEqual(metrics.map(figure));
    const shown = await read<{ label: string; value: string; delta?: string }[]>(
      `figures?symbol=${written}`,
    );
    expect(shown[0]).toEqual({
      label: `${String(figure("name"))} (${currency})`,
      value: String(figure("price")),
      delta: String(figure("change_percent")),
    });
    expect(shown.find(({ label }) => label === "P/E")?.value).toBe(String(figure("pe")));
    const { figures } = await payload<{ figures: { columns: string[]; rows: Cell[][] } }>(
      `/data/stocks/${symbol}/statements?country=${country}&type=balance&period=quarterly&figures=only`,
    );
    const lines = await read<Row[]>(`statements?symbol=${written}&type=balance&period=quarterly`);
    const assets = figures.columns.indexOf("total_assets");
    for (const row of figures.rows)
      expect(lines.find(({ line }) => line === "total_assets")?.[String(row[0])]).toBe(row[assets]);
  });

  test("leave out what is unknown: an index has a price and no P/E", async () => {
    const shown = await read<{ label: string; value: string }[]>("figures?symbol=^N225");
    expect(shown.map(({ label }) => label)).not.toContain("P/E");
    expect(shown.map(({ value }) => value)).not.toContain("null");
  });

  test("of a screen and of sectors are those of the chosen country", async () => {
    const { rows } = await payload<{ rows: Cell[][] }>(
      "/data/stocks/screen?country=VN&where=pe<15&sort=market_cap:desc&metrics=price&limit=100",
    );
    const screen = await read<Row[]>("screen?country=VN&sector=&where=pe%3C15");
    expect(screen.map(({ symbol }) => symbol)).toEqual(rows.map(([symbol]) => symbol));
    const japan = await read<Row[]>("sectors?country=JP");
    const states = await read<Row[]>("sectors?country=US");
    expect(japan).not.toEqual(states);
  });
});

describe("a workspace on another site", () => {
  const origin = "https://pro.openbb.co";

  test("may read, with the feed link in a header too", async () => {
    const url = `${service.origin}/feed/openbb/widgets.json`;
    const preflight = await fetch(url, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-api-key",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(
      "x-api-key",
    );
    const response = await fetch(url, { headers: { origin, "x-api-key": link } });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([
      200,
      "*",
    ]);
    expect(await response.json()).toEqual(widgets);
  });

  test("gets errors as its own backends write them", async () => {
    for (const [path, status, words] of [
      ["figures?symbol=NONE1", 404, "Not found"],
      ["figures", 400, "symbol is missing"],
      ["screen?country=FR", 400, "country must be"],
      ["nothing", 404, "has no such path"],
    ] as const) {
      const response = await fetch(`${base}/${path}`, { headers: { origin } });
      expect([path, response.status]).toEqual([path, status]);
      expect(await response.json()).toEqual({ detail: expect.stringContaining(words) });
    }
  });
});
