import { csvRows } from "#lib/csv.ts";
import { lazy } from "#lib/lazy.ts";
import { COUNTRY_CODES, type Country } from "./country.ts";
import changesCsv from "./symbol-changes.csv" with { type: "text" };

/** The end of a symbol. */
export interface SymbolChange {
  readonly country: Country;
  readonly symbol: string;
  /** The first day of the new symbol, or the day on which the company left the exchange. */
  readonly date: string;
  /** The symbol of the same company since then; null if it was delisted. */
  readonly became: string | null;
  /** The company's name. */
  readonly name: string;
}

/**
 * Symbols that ended, of well-known companies only, because no source lists them: renamed or delisted. A
 * symbol that a market lists means the instrument that has it now. The dates agree with press reports, or with
 * the changes of the S&P 500, which can be some days later. Add none without such a witness.
 */
const listChanges = lazy(
  () =>
    new Map(
      [...csvRows(changesCsv)].slice(1).map(({ line, cells }): [string, SymbolChange] => {
        const [code, symbol = "", date = "", became = "", name = ""] = cells;
        const country = COUNTRY_CODES.find((one) => one === code);
        if (!country) throw new Error(`symbol-changes.csv, line ${line}: unknown country`);
        return [`${country}:${symbol}`, { country, symbol, date, became: became || null, name }];
      }),
    ),
);

/** The end of a symbol in upper case; null if none is known. */
export function findSymbolChange(country: Country, symbol: string): SymbolChange | null {
  return listChanges().get(`${country}:${symbol}`) ?? null;
}

/** `FB is META since 2022-06-09` or `TWTR (Twitter, Inc.) was delisted on 2022-10-27`, without a full stop. */
export function describeChange({ symbol, name, date, became }: SymbolChange): string {
  return became === null
    ? `${symbol} (${name}) was delisted on ${date}`
    : `${symbol} is ${became} since ${date}`;
}
