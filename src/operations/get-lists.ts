import { type Static, Type } from "@sinclair/typebox";
import { percent } from "#analytics/ratios.ts";
import { dateOf } from "#lib/date.ts";
import { round2 } from "#panels/format.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { Nullable, TableOutput } from "#domain/schema.ts";
import { type ListItem, listNameOf } from "#domain/user-list.ts";
import { type CompanyMetrics, createMetricsReader } from "#rollups/companies.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import { rateNeeds } from "#rollups/currency-rates.ts";
import { CurrencyInput, ratesOf, RatesOutput, withRates } from "./conversion.ts";
import { CursorInput, NextCursorOutput, pageOf } from "./reading/cursor.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { MetricListInput } from "./reading/inputs.ts";
import { parseMetrics } from "./reading/metric-query.ts";
import { splitColumns, textReader } from "./reading/text-columns.ts";
import { inSlices } from "./metric-ranks.ts";
import { whyOfCompanies } from "./metric-reasons.ts";
import { columnReader } from "./metric-values.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation, type HandlerResult, type OwnContext } from "./operation.ts";
import { costOf } from "./portfolio/purchases.ts";
import { roundValue } from "./portfolio/today.ts";
import { formatKey } from "./reading/symbols.ts";
import type { Gap } from "./reasons.ts";

/** Rows of a page: with the default columns, some 1,000 tokens. */
const PAGE = 50;

const LIST_COLUMNS = ["name", "items", "changed_at"];
/** What the user gives with an item, if they want to. */
const AMOUNTS = ["shares", "weight", "note"];
/** The columns of a list with theses. */
const THESIS = ["thesis", "while"];
/** The price paid for a share, and what it says of today's value. */
const COST = ["cost", "cost_currency", "cost_date"];
const GAIN = ["gain", "gain_percent"];
const ITEM_COLUMNS = ["country", "symbol", "name", ...AMOUNTS];

/** The name of a list of the caller. */
export const ListNameInput = Type.String({
  minLength: 1,
  maxLength: 60,
  description: "semis.",
  expected: "the name of a list of at most 60 characters, such as semis",
  read: (value) => (typeof value === "string" ? (listNameOf(value) ?? value) : value),
  example: "semis",
} satisfies InputKeywords & Parameters<typeof Type.String>[0]);

const input = Type.Object({
  name: Type.Optional(ListNameInput),
  metrics: Type.Optional(MetricListInput("As in screen_stocks.")),
  currency: Type.Optional(CurrencyInput("Of all amounts.")),
  cursor: Type.Optional(CursorInput),
});

const output = Type.Object({
  name: Nullable(Type.String({ description: "Name of the list; null if rows are lists." })),
  title: Type.Optional(Type.String()),
  ...TableOutput,
  total: Type.Integer({ minimum: 0, description: "Number of rows on all pages." }),
  rates: Type.Optional(RatesOutput),
  next_cursor: NextCursorOutput,
});

/** Lists of the caller, or the items of one. */
export const getLists = defineOperation({
  name: "get_lists",
  set: "lists",
  title: "Lists of the user",
  description:
    "The user's lists of stocks, or with name the items of one; save_list changes it. As symbols of other tools write list:NAME. Members of indices are lists: sp500, dow, nikkei225, vn30, vnindex.",
  path: "/data/lists",
  notRewound: [...COMPANY_FACTS, "items of lists"],
  withoutExample: ["name"],
  input,
  routes: [
    { name: "get_lists", title: "Lists of the user", path: "/data/lists", input },
    {
      name: "get_list",
      title: "One list of the user",
      path: "/data/lists/{name}",
      input: Type.Object({ ...input.properties, name: ListNameInput }),
    },
  ],
  own: true,
  output,
  table: ({ rates, total, next_cursor: cursor, ...table }) => ({
    ...withRates(table, rates),
    total,
    next: cursor === undefined ? null : { cursor },
  }),
  needs: ({ currency }) => (currency === undefined ? [] : rateNeeds(currency)),
  handle({ name, cursor, ...shown }, context) {
    const page = { limit: PAGE, cursor };
    return name === undefined
      ? listNames(page, context as OwnContext)
      : listItems(name, shown, page, context as OwnContext);
  },
});

interface PageArguments {
  readonly limit: number;
  readonly cursor: string | undefined;
}

async function listNames(page: PageArguments, { own }: OwnContext) {
  const lists = await own.list("list");
  const hasTitles = lists.some(({ title }) => title !== undefined);
  const { items, next } = pageOf(lists, ({ name }) => name, page);
  const rows = items.map((one) => [
    one.name,
    one.items,
    new Date(one.changedAt).toISOString(),
    ...(hasTitles ? [one.title ?? null] : []),
  ]);
  const columns = [...LIST_COLUMNS, ...(hasTitles ? ["title"] : [])];
  const data = { name: null, columns, rows, total: lists.length, ...next };
  return { data, from: [], why: ({ isList }: Gap) => (isList ? ("none" as const) : "not_asked") };
}

async function listItems(
  wanted: string,
  { metrics, currency }: Pick<Static<typeof input>, "metrics" | "currency">,
  page: PageArguments,
  { own, market, now }: OwnContext,
): Promise<HandlerResult<typeof output.static>> {
  const { texts, others } = splitColumns(metrics);
  const names = others === null ? [] : parseMetrics(others);
  const { value } = await own.get("list", wanted);
  const { items, next } = pageOf(value.items, formatKey, page);
  const figures = new ConvertedCompanies(market, currency ?? null);
  const readers = [
    ...texts.map((name) => textReader(name)),
    ...names.map((name) => columnReader(name, figures)),
  ];
  const hasTheses = value.items.some(({ thesis }) => thesis !== undefined);
  const hasCosts = value.items.some(({ cost }) => cost !== undefined);
  const given = (item: ListItem) => [
    ...amountsOf(item),
    ...(hasTheses ? [item.thesis?.text ?? null, item.thesis?.while ?? null] : []),
    ...(hasCosts ? costCells(item) : []),
  ];
  const today = dateOf(now);
  const metricsOf = createMetricsReader(market, now);
  const companies = new Map<number, CompanyMetrics>();
  const from: CompanyMetrics["from"][number][] = [];
  const rows: (string | number | boolean | null)[][] = [];
  await inSlices(items, (item) => {
    const instrument = market.instruments.find(item);
    const head = [item.country, item.symbol, instrument?.name ?? null, ...given(item)];
    if (readers.length === 0 && !hasCosts) return void rows.push(head);
    const about = [...head, instrument ? figures.currencyOf(instrument) : null];
    if (!instrument)
      return void rows.push([
        ...about,
        ...(hasCosts ? GAIN : []).map(() => null),
        ...readers.map(() => null),
      ]);
    const company = metricsOf(instrument);
    companies.set(rows.length, company);
    from.push(...company.from);
    const inputs = { rates: figures.rates, currency: currency ?? instrument.currency, today };
    const gain = hasCosts ? gainCells(market, instrument, item, company, inputs) : [];
    rows.push([...about, ...gain, ...readers.map((read) => read(company))]);
  });
  const columns = [
    ...ITEM_COLUMNS,
    ...(hasTheses ? THESIS : []),
    ...(hasCosts ? COST : []),
    ...(readers.length > 0 || hasCosts ? ["currency"] : []),
    ...(hasCosts ? GAIN : []),
    ...texts,
    ...names,
  ];
  const used = ratesOf(figures.rates);
  const rates = currency === undefined && used.length === 0 ? {} : { rates: used };
  const { name, title } = value;
  const head = { name, ...(title !== undefined && { title }) };
  const data = { ...head, columns, rows, total: value.items.length, ...rates, ...next };
  const whyOfCompany = whyOfCompanies(market, ({ row }) => companies.get(row));
  const why = (gap: Gap) => {
    if (gap.isList) return "none";
    if ([...AMOUNTS, ...THESIS, ...COST].includes(gap.figure)) return "not_asked";
    if (!GAIN.includes(gap.figure)) return whyOfCompany(gap);
    if (items[gap.row]?.cost === undefined) return "not_asked";
    return companies.get(gap.row)?.newest ? "no_rate" : whyOfCompany({ ...gap, figure: "price" });
  };
  return { data, from: [...from, ...figures.rates.from], why };
}

const costCells = ({ cost }: ListItem) => [
  cost?.price ?? null,
  cost?.currency ?? null,
  cost?.date ?? null,
];

/** What the shares are worth more than they cost, in money and in percent of that; null if a part is not known. */
function gainCells(
  market: MarketStore,
  instrument: StoredInstrument,
  { cost, shares }: ListItem,
  { newest }: CompanyMetrics,
  inputs: Parameters<typeof costOf>[3],
) {
  if (!cost || shares === undefined || !newest) return [null, null];
  const { price, currency, date = null } = cost;
  const paid = costOf(market, instrument, [{ units: shares, price, currency, date }], inputs);
  const rate = inputs.rates.find(instrument.currency, inputs.currency);
  if (paid === null || rate === null) return [null, null];
  const gain = shares * newest.close * rate - paid;
  return [roundValue(gain), round2(percent(gain, Math.abs(paid)))];
}

const amountsOf = ({ shares, weight, note }: ListItem) => [
  shares ?? null,
  weight ?? null,
  note ?? null,
];
