import type { MetricName } from "#analytics/metrics.ts";
import type { Adjustment } from "#domain/split.ts";
import { asTyped } from "#lib/as-typed.ts";
import { lazy } from "#lib/lazy.ts";
import { LINE_ITEMS, toSnakeCase } from "#operations/get-stock-statements.ts";
import { findMetric } from "#operations/reading/metric-names.ts";
import { type Basis, splitBasis } from "#operations/reading/written-periods.ts";

/** A line of a statement, as `get_stock_statements` names its columns. */
export type LineName = (typeof LINE_ITEMS)[keyof typeof LINE_ITEMS][number];
/** A field of a daily bar. */
export type BarField = "open" | "high" | "low" | "close" | "volume";

/** What the name of a figure means. */
export interface FigureName {
  /** Null if it names none of the metrics. */
  readonly metric: MetricName | null;
  readonly line: LineName | null;
  readonly field: BarField | null;
  /** The months that it says it covers; null if it says nothing. */
  readonly basis: Basis | null;
  /** The adjustments that the name leaves open; null for the usual ones. */
  readonly adjustments: readonly Adjustment[] | null;
}

/** Other names of lines that are no metrics. */
const LINE_WORDS: Readonly<Partial<Record<LineName, string>>> = {
  costOfRevenue: "cost of sales|cost of goods sold|cogs|売上原価|giá vốn hàng bán",
  researchAndDevelopment: "r&d|research and development expense|研究開発費",
  sellingGeneralAdministrative: "sg&a|sga|販売費及び一般管理費|販管費",
  interestExpense: "支払利息|chi phí lãi vay",
  ordinaryIncome: "ordinary profit|recurring profit|経常利益|lợi nhuận thường xuyên",
  pretaxIncome: "pre-tax income|profit before tax|税引前利益|税引前当期純利益|lợi nhuận trước thuế",
  incomeTax: "tax expense|income tax expense|法人税等",
  sharesDiluted: "diluted shares|diluted share count",
  receivables: "accounts receivable|売掛金|phải thu",
  inventory: "inventories|棚卸資産|hàng tồn kho",
  goodwill: "のれん|lợi thế thương mại",
  currentLiabilities: "流動負債|nợ ngắn hạn",
  payables: "accounts payable|買掛金|phải trả người bán",
  commonEquity:
    "shareholders equity|shareholders' equity|stockholders' equity|stockholders equity|自己資本|株主資本",
  minorityInterest: "非支配株主持分|lợi ích cổ đông thiểu số",
  depreciationAndAmortization: "d&a|depreciation|減価償却費|khấu hao",
  stockCompensation: "stock based compensation|stock-based compensation|sbc",
  dividendsPaid: "配当金の支払額|cổ tức đã trả",
  shareRepurchases: "buybacks|share buybacks|自己株式の取得",
};

/** The lines of metrics that have another name as lines. */
const LINE_OF_METRIC: Readonly<Partial<Record<MetricName, LineName>>> = {
  eps: "epsDiluted",
  ev_ebit: "evToEbit",
};

/** A name as one word, so that `sharesDiluted` is `shares_diluted`. */
const joined = (name: string) => name.toLowerCase().replaceAll(/[ _-]/g, "");

const linesByName: () => ReadonlyMap<string, LineName> = lazy(
  () =>
    new Map(
      Object.values(LINE_ITEMS)
        .flat()
        .flatMap((line) =>
          [toSnakeCase(line), ...(LINE_WORDS[line]?.split("|") ?? [])].map(
            (name) => [joined(name), line] as const,
          ),
        ),
    ),
);

const FIELD_WORDS: Readonly<Record<BarField, string>> = {
  open: "open|opening price|始値|giá mở cửa",
  high: "high|day high|高値|giá cao nhất",
  low: "low|day low|安値|giá thấp nhất",
  close: "price",
  volume: "volume",
};
const FIELDS: ReadonlyMap<string, BarField> = new Map(
  (Object.entries(FIELD_WORDS) as [BarField, string][]).flatMap(([field, words]) =>
    words.split("|").map((word) => [word, field] as const),
  ),
);

const ADJUSTMENTS: readonly (readonly [words: RegExp, open: readonly Adjustment[]])[] = [
  [/\b(?:unadjusted|as[ -]traded|raw|nominal|not adjusted)\b|調整前|chưa điều chỉnh/i, ["none"]],
  [/\b(?:split[ -]adjusted)\b|分割調整/i, ["split"]],
  [/\b(?:total[ -]return|dividend[ -]adjusted)\b(?= (?:price|close))/i, ["total"]],
  // Yahoo's adjusted close is adjusted for dividends, others for splits only.
  [/\badj(?:usted|\.)?(?= |$)|調整後|điều chỉnh/i, ["split", "total"]],
];

/** What a name of a figure means, in three languages; null if it is not known. */
export function readFigureName(written: string): FigureName | null {
  const whole = findMetric(written);
  const label = /TTM(?: YoY)?$/.test(written) ? "ttm" : null;
  if (whole !== null) return nameOf(whole, label, null);
  const text = asTyped(written).trim();
  const [words, adjustments = null] = ADJUSTMENTS.find(([one]) => one.test(text)) ?? [];
  const { rest, basis } = splitBasis(words ? text.replace(words, " ") : text);
  const name = rest
    .replaceAll(/[()]/g, " ")
    .replaceAll(/\b(?:newest|latest|current)\b/gi, " ")
    .replaceAll(/[ _]+/g, " ")
    .trim()
    .toLowerCase();
  const metric = findMetric(name);
  if (metric !== null) return nameOf(metric, basis, adjustments);
  const line = linesByName().get(joined(name)) ?? null;
  const field = FIELDS.get(name) ?? null;
  if (line === null && field === null) return null;
  return { metric: null, line, field, basis, adjustments };
}

function nameOf(
  metric: MetricName,
  basis: Basis | null,
  adjustments: FigureName["adjustments"],
): FigureName {
  const camel = metric.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const lines: readonly string[] = Object.values(LINE_ITEMS).flat();
  const line = [camel, `${camel}Percent`].find((one) => lines.includes(one)) as
    LineName | undefined;
  return {
    metric,
    line: LINE_OF_METRIC[metric] ?? line ?? null,
    field: FIELDS.get(metric) ?? null,
    basis,
    adjustments,
  };
}
