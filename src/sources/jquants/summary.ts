import { Type } from "@sinclair/typebox";
import { type Instrument, isCompany } from "#domain/instrument.ts";
import { DateText, type Static } from "#domain/schema.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import type { SourceClient } from "#sources/source.ts";
import { codeOf, Figure, requestPages } from "./answer.ts";
import { JQUANTS } from "./source.ts";

const MaybeDate = Type.Union([DateText, Type.Literal("")]);

/** A disclosure: the summary of a statement, or the revision of a forecast. */
export const Disclosure = Type.Object({
  DiscDate: DateText,
  DiscTime: Type.String(),
  Code: Type.String(),
  DocType: Type.String(),
  CurPerType: Type.String(),
  CurPerSt: MaybeDate,
  CurPerEn: MaybeDate,
  CurFYEn: MaybeDate,
  Sales: Figure,
  OP: Figure,
  /** Empty outside Japanese standards. */
  OdP: Type.Optional(Figure),
  NP: Figure,
  EPS: Figure,
  /** Empty if nothing dilutes. */
  DEPS: Figure,
  TA: Figure,
  /** With the share of minorities and the rights to shares. */
  Eq: Figure,
  /** Without them; given since September 2026. */
  ShEq: Type.Optional(Figure),
  /** Equity without them over assets, three decimals. */
  EqAR: Figure,
  /** Equity without them / shares outstanding, two decimals; usually empty in quarters. */
  BPS: Figure,
  CFO: Figure,
  CFI: Figure,
  CFF: Figure,
  CashEq: Figure,
  /** The shares on which the earnings per share are based. */
  AvgSh: Figure,
  /** Shares at the end of the period, with the company's own. */
  ShOutFY: Figure,
  /** The company's own shares. */
  TrShFY: Figure,
});
export type Disclosure = Static<typeof Disclosure>;

/** Statements; not revisions, REITs (half years), foreign issuers (any currency). */
export const STATEMENT =
  /^(1Q|2Q|3Q|OtherPeriod|FY)FinancialStatements_(Non)?Consolidated_(JP|IFRS|US|JMIS)$/;

/** MODEC reports in dollars, and the answer does not name the currency. */
export const UNKNOWN_CURRENCY = "6269";

/** Requests all disclosures of a company. */
export function requestSummaries(
  { instrument }: LiveQuery,
  client: SourceClient,
): Promise<unknown[]> {
  return requestPages(client, `/fins/summary?code=${codeOf(companyOf(instrument).symbol)}`);
}

/** The same rows. @throws SourceError if they are of another symbol */
export function checkCode<T extends Pick<Disclosure, "Code">>(
  rows: readonly T[],
  symbol: string,
): readonly T[] {
  if (rows.some(({ Code }) => Code !== codeOf(symbol)))
    throw JQUANTS.error("invalid_answer", "the answer is about another code");
  return rows;
}

/** The disclosures by time. Their numbers are not in this order. */
export function inOrder<T extends Disclosure>(rows: readonly T[]): T[] {
  const momentOf = ({ DiscDate, DiscTime }: T) => `${DiscDate} ${DiscTime}`;
  return rows.toSorted((a, b) => momentOf(a).localeCompare(momentOf(b)));
}

/** True for figures of the group, false for figures of the parent alone. */
export const isOfGroup = ({ DocType }: Disclosure) => DocType.includes("_Consolidated_");

/** The requested company. @throws SourceError `nothing` if it is none, or if its currency is unknown */
export function companyOf(instrument: Instrument | null): Instrument {
  if (!instrument || !isCompany(instrument.assetType) || instrument.symbol === UNKNOWN_CURRENCY)
    throw JQUANTS.error("nothing", "it has no data for the request");
  return instrument;
}
