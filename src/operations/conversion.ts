import { Type } from "@sinclair/typebox";
import { DateOutput, FigureOutput, Nullable, StringEnum } from "#domain/schema.ts";
import type { Cell, Table } from "#lib/table.ts";
import { roundPrice } from "#panels/format.ts";
import { CURRENCIES } from "#domain/currency.ts";
import type { CurrencyRates } from "#rollups/currency-rates.ts";

/** The input schema of a currency into which amounts are converted. */
export const CurrencyInput = (description: string) =>
  StringEnum(CURRENCIES, {
    description,
    aliases: {
      dollar: "USD",
      dollars: "USD",
      "US dollar": "USD",
      yen: "JPY",
      dong: "VND",
      euro: "EUR",
      円: "JPY",
      đồng: "VND",
    },
  });

/** The field of an answer that lists the rates by which it was converted. */
export const RatesOutput = Type.Array(
  Type.Object({
    from: Type.String({ description: "ISO code of the converted currency: JPY." }),
    to: Type.String({ description: "ISO code of the currency of the amounts: USD." }),
    rate: FigureOutput("Newest rate used, units of `to` for one unit of `from`: 0.0064."),
    date: Nullable(DateOutput("Its date, YYYY-MM-DD; null for an unknown or constant rate.")),
    first_rate: Type.Optional(
      Type.Number({ description: "Oldest rate used, if days have their own rates." }),
    ),
    first_date: Type.Optional(DateOutput("Its date, YYYY-MM-DD.")),
    begins: Type.Optional(DateOutput("Date of the first stored rate, if earlier days have none.")),
  }),
  {
    description:
      "The rates used. A price has the last rate at or before its day, so returns and risks are an investor's in this currency. Market caps and amounts of reports have the newest rate. In CSV: JPY_to_USD and JPY_to_USD_date, with _first and _first_date.",
  },
);

/** The rates that were used, for an answer. */
export function ratesOf(rates: CurrencyRates) {
  return rates.used.map(({ from, to, first, last, begins }) => ({
    from,
    to,
    rate: last && roundPrice(last.rate),
    date: last?.date ?? null,
    ...(first?.date &&
      first.date !== last?.date && { first_rate: roundPrice(first.rate), first_date: first.date }),
    ...(begins !== null && { begins }),
  }));
}

/** A table with the rates at the end of each row, as CSV has them. */
export function withRates({ columns, rows }: Table, rates: ReturnType<typeof ratesOf> = []): Table {
  const used = rateColumns(rates);
  return {
    columns: [...columns, ...used.columns],
    rows: rows.map((row) => [...row, ...used.values]),
  };
}

/** The columns of the rates in CSV, and their values in each row. */
export function rateColumns(rates: ReturnType<typeof ratesOf>): {
  columns: string[];
  values: Cell[];
} {
  const cells = rates.flatMap(({ from, to, rate, date, ...others }) => {
    const name = `${from}_to_${to}`;
    const { first_rate: first, first_date: day, begins } = others;
    return [
      [name, rate],
      [`${name}_date`, date],
      ...(first === undefined ? [] : [[`${name}_first`, first]]),
      ...(day === undefined ? [] : [[`${name}_first_date`, day]]),
      ...(begins === undefined ? [] : [[`${name}_begins`, begins]]),
    ] as [string, Cell][];
  });
  return { columns: cells.map(([name]) => name), values: cells.map(([, value]) => value) };
}
