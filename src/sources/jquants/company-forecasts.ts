import { Type } from "@sinclair/typebox";
import type { CompanyForecast } from "#domain/company-forecasts.ts";
import { type Split, splitRatio } from "#domain/split.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { Figure, figureOf, rowsReader } from "./answer.ts";
import { JQUANTS } from "./source.ts";
import {
  checkCode,
  companyOf,
  Disclosure,
  inOrder,
  isOfGroup,
  requestSummaries,
  STATEMENT,
} from "./summary.ts";

/** The figures and how their fields end: `FSales`, and `NxFNp` for the next year. */
const ENDINGS = {
  revenue: ["Sales"],
  operatingIncome: ["OP"],
  ordinaryIncome: ["OdP"],
  netIncome: ["NP", "Np"],
  eps: ["EPS"],
} as const;
type Earnings = Readonly<Record<keyof typeof ENDINGS, number | null>>;
const ITEMS = Object.keys(ENDINGS) as (keyof Earnings)[];
/** The beginnings of the fields of the running and of the next year. */
const YEARS = ["F", "NxF"] as const;

const FIELDS = YEARS.flatMap((year) => [
  `${year}DivAnn`,
  // Of the parent alone, and of the first half.
  ...ITEMS.flatMap((item) => ENDINGS[item]).flatMap((end) => [
    year + end,
    `${year}NC${end}`,
    `${year}${end}2Q`,
  ]),
]);
const Forecasts = Type.Object({
  NxtFYEn: Type.Optional(Type.String({ pattern: "^(\\d{4}-\\d\\d-\\d\\d)?$" })),
  ...Object.fromEntries(FIELDS.map((field) => [field, Type.Optional(Figure)])),
});
/** A revision of earnings or of dividends. */
const REVISION = /^(Earn|Dividend)ForecastRevision$/;

const readRows = rowsReader(Type.Composite([Disclosure, Forecasts]));
type Row = Disclosure & { readonly NxtFYEn?: string };

/** A forecast's net income / EPS differs by up to this factor from the number of shares. A split is a larger step. */
const SHARES_STEP = 1.4;

/**
 * What a company expects of the years that it has not reported yet, in yen: from its summaries, and from revisions of
 * earnings or dividends. A revision of one of them leaves the other in force. Figures of the group come first; figures
 * of the parent alone count for a company without a group. A summary without figures withdraws them.
 */
export const jquantsForecasts = defineFetcher({
  kind: "companyForecasts",
  source: JQUANTS,
  countries: ["JP"],
  scope: "instrument",
  fetch: requestSummaries,
  transform(pages: readonly unknown[], { instrument, splitsOf }) {
    const { symbol } = companyOf(instrument);
    const rows = inOrder(checkCode(readRows(pages), symbol)) as Row[];
    const statements = rows.filter(({ DocType }) => STATEMENT.test(DocType));
    const [newest] = statements.slice(-1);
    // Foreign issuers may forecast in any currency.
    if (!newest) throw JQUANTS.error("nothing", "it has no forecast of the company");
    const reported = statements.reduce(
      (end, row) => (row.CurPerType === "FY" && row.CurFYEn > end ? row.CurFYEn : end),
      "",
    );
    const announced = announcements(rows, isOfGroup(newest));
    const forecasts = announced
      .filter(({ yearEnd }) => yearEnd > reported)
      .map((one) => inShares(one, statements, splitsOf?.(symbol) ?? []));
    if (forecasts.length === 0) throw JQUANTS.error("nothing", "it has no forecast of the company");
    return [{ country: "JP", symbol, currency: "JPY", forecasts }];
  },
});

/** The announcements that change a forecast, oldest first. */
function announcements(rows: readonly Row[], isGroup: boolean): CompanyForecast[] {
  const announced: CompanyForecast[] = [];
  const inForce = new Map<string, CompanyForecast>();
  let newestEnd = "";
  for (const row of rows) {
    const isSummary = STATEMENT.test(row.DocType);
    if (!isSummary && !REVISION.test(row.DocType)) continue;
    // The correction of an earlier summary repeats an earlier forecast.
    if (isSummary && row.CurPerEn < newestEnd) continue;
    if (isSummary) newestEnd = row.CurPerEn;
    for (const year of YEARS) {
      const yearEnd = (year === "F" ? row.CurFYEn : row.NxtFYEn) ?? "";
      // The summary of a year has its results.
      if (yearEnd === "" || (year === "F" && isSummary && row.CurPerType === "FY")) continue;
      const before = inForce.get(yearEnd);
      const given = figureIn(row, `${year}DivAnn`);
      const forecast: CompanyForecast = {
        yearEnd,
        announcedOn: row.DiscDate,
        ...(earningsOf(row, year, isGroup) ?? pickEarnings((item) => before?.[item] ?? null)),
        dividendPerShare: given ?? (isSummary ? null : (before?.dividendPerShare ?? null)),
      };
      const isChanged = [...ITEMS, "dividendPerShare" as const].some(
        (item) => forecast[item] !== (before?.[item] ?? null),
      );
      if (!isChanged) continue;
      inForce.set(yearEnd, forecast);
      announced.push(forecast);
    }
  }
  return announced;
}

/** The forecast of earnings; all null if it is withdrawn, null if the row does not change it. */
function earningsOf(row: Row, year: (typeof YEARS)[number], isGroup: boolean): Earnings | null {
  const readWith = (start: string, end = "") =>
    pickEarnings((item) => {
      const names = ENDINGS[item].map((name) => start + name + end);
      return names.map((name) => figureIn(row, name)).find((figure) => figure !== null) ?? null;
    });
  const hasAny = (earnings: Earnings) => ITEMS.some((item) => earnings[item] !== null);
  const own = readWith(year);
  if (hasAny(own)) return own;
  const alone = readWith(`${year}NC`);
  if (!isGroup && hasAny(alone)) return alone;
  const isOfOthers = hasAny(alone) || hasAny(readWith(year, "2Q"));
  const isRevision = !STATEMENT.test(row.DocType);
  return isRevision && (isOfOthers || row.DocType.startsWith("Dividend")) ? null : own;
}

const pickEarnings = (figureOfItem: (item: keyof Earnings) => number | null) =>
  Object.fromEntries(ITEMS.map((item) => [item, figureOfItem(item)])) as Record<
    keyof Earnings,
    number | null
  >;

const figureIn = (row: Row, field: string): number | null =>
  figureOf(Reflect.get(row, field) as Parameters<typeof figureOf>[0]);

/**
 * The forecast with the day in whose shares it is. A company that announced a split may forecast in the new shares
 * before they exist: its net income / EPS then shows them. Figures per share in unknown shares are left out.
 */
function inShares(
  forecast: CompanyForecast,
  statements: readonly Row[],
  splits: readonly Split[],
): CompanyForecast {
  const { announcedOn, eps, netIncome } = forecast;
  const days = [
    announcedOn,
    ...splits.flatMap(({ exDate }) => (exDate > announcedOn ? [exDate] : [])),
  ];
  const counted = statements.findLast((row) => row.DiscDate <= announcedOn && sharesOf(row) > 0);
  const unknown = { ...forecast, eps: null, dividendPerShare: null };
  if (!counted || !eps || !netIncome)
    return days.length === 1 ? { ...forecast, sharesAsOf: announcedOn } : unknown;
  const distanceOf = (day: string) =>
    Math.abs(
      Math.log(netIncome / eps / (sharesOf(counted) * splitRatio(splits, counted.DiscDate, day))),
    );
  const [sharesAsOf = announcedOn] = days.toSorted((a, b) => distanceOf(a) - distanceOf(b));
  if (!(distanceOf(sharesAsOf) <= Math.log(SHARES_STEP))) return unknown;
  // The dividend of such a year can be the sum of one in old shares and one in new shares.
  return { ...forecast, sharesAsOf, ...(sharesAsOf !== announcedOn && { dividendPerShare: null }) };
}

const sharesOf = ({ ShOutFY, TrShFY }: Row) => (figureOf(ShOutFY) ?? 0) - (figureOf(TrShFY) ?? 0);
