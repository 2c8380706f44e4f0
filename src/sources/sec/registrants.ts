import { Type } from "@sinclair/typebox";
import { DAY_MS } from "#lib/date.ts";
import { answerReader, checkRowCount } from "#sources/check-answer.ts";
import { type ListReading, readList, textIn } from "#sources/list.ts";
import type { SourceClient } from "#sources/source.ts";
import { SEC } from "./source.ts";

/** A listed security of a company that files with the SEC. */
export interface Registrant {
  readonly cik: number;
  /** As the company gave it, often in capitals. */
  readonly name: string;
  /** With a hyphen before the class of a share: `BRK-B`. */
  readonly ticker: string;
  /** `Nasdaq`, `NYSE`, `CBOE`, `OTC`; null without an exchange. */
  readonly exchange: string | null;
}

const ADDRESS = "https://www.sec.gov/files/company_tickers_exchange.json";
const FIELDS = ["cik", "name", "ticker", "exchange"] as const;

/** The answer with the list of registrants, at most a day old. */
export async function fetchRegistrants(client: SourceClient): Promise<unknown> {
  return (await client.request(ADDRESS, { maxAgeMs: DAY_MS })).json();
}

const readTable = answerReader(
  SEC,
  Type.Object({ fields: Type.Array(Type.Unknown()), data: Type.Array(Type.Unknown()) }),
);

/** Reads the registrants in the order of the list, the largest first. */
export function* readRegistrants(raw: unknown): ListReading<Registrant[]> {
  const { fields, data } = readTable(raw);
  checkRowCount(SEC, data.length);
  const [cikAt, nameAt, tickerAt, exchangeAt] = FIELDS.map((field) => fields.indexOf(field));
  const read = (row: unknown, number: number): Registrant => {
    const cells: readonly unknown[] = Array.isArray(row) ? row : [];
    const [cik, name, ticker, exchange] = [cikAt, nameAt, tickerAt, exchangeAt].map(
      (at) => cells[at ?? -1],
    );
    if (
      !Number.isInteger(cik) ||
      typeof name !== "string" ||
      typeof ticker !== "string" ||
      (typeof exchange !== "string" && exchange !== null)
    )
      throw SEC.error("invalid_answer", `row ${number} is not cik, name, ticker, exchange`);
    return { cik: cik as number, name, ticker, exchange };
  };
  const symbolOf = (row: unknown) => textIn(row, tickerAt ?? -1)?.replaceAll("-", ".") ?? null;
  return yield* readList(data, read, symbolOf);
}

/** The CIK of a stored symbol (`BRK.B`). @throws SourceError `nothing` if the SEC has none */
export function getCik(registrants: readonly Registrant[], symbol: string): number {
  const ticker = symbol.replaceAll(/[./]/g, "-");
  const registrant = registrants.find((one) => one.ticker.toUpperCase() === ticker);
  if (!registrant) throw SEC.error("nothing", `${symbol} is not registered with the SEC`);
  return registrant.cik;
}

/** A CIK as in addresses, with ten digits: `CIK0000320193`. */
export function cikText(cik: number): string {
  return `CIK${String(cik).padStart(10, "0")}`;
}

/**
 * The symbols of each company by its CIK, as instruments are stored (`BRK.B`): those that are in
 * `listed`, or all if it is null.
 */
export function listTickers(
  registrants: readonly Registrant[],
  listed: ReadonlySet<string> | null,
): Map<number, string[]> {
  const symbols = new Map<number, string[]>();
  for (const { cik, ticker } of registrants) {
    const symbol = ticker.toUpperCase().replaceAll("-", ".");
    if (listed && !listed.has(symbol)) continue;
    symbols.set(cik, [...(symbols.get(cik) ?? []), symbol]);
  }
  return symbols;
}
