import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BarSeries } from "#domain/daily-bar.ts";
import { PEERS_FOLDER } from "./contenders.ts";

/** Another implementation of the same work, measured in turn with ours. */
export interface Reference {
  readonly name: string;
  readonly run: () => void;
}

/** All indicators of the panel by trading-signals; null if the peers are not installed. */
export async function tradingSignals(bars: BarSeries): Promise<Reference | null> {
  if (!existsSync(join(PEERS_FOLDER, "node_modules/trading-signals"))) return null;
  const peer = (await import(join(PEERS_FOLDER, "technicals.mjs"))) as {
    technicals: (bars: BarSeries) => unknown;
  };
  return { name: "trading-signals", run: () => void peer.technicals(bars) };
}

/** A page of 25 symbols and the total count, by `LIKE` over symbols and names. */
export function likeScan(market: string, nextQuery: () => string): Reference {
  const database = new Database(join(market, "market.db"), { readonly: true, strict: true });
  const where = "WHERE symbol LIKE $like OR name LIKE $like";
  const page = database.query(`SELECT * FROM instruments ${where} ORDER BY id LIMIT 25`);
  const total = database.query(`SELECT count(*) FROM instruments ${where}`);
  return {
    name: "LIKE scan",
    run() {
      const like = `%${nextQuery()}%`;
      page.all({ like });
      total.get({ like });
    },
  };
}

/** Figures with a median, as SQL over a company's market cap and trailing twelve months. */
const FIGURES: Readonly<Record<string, string>> = {
  pe: "cap / net_income",
  pb: "cap / equity",
  ps: "cap / revenue",
  gross_margin: "100 * gross_profit / revenue",
  operating_margin: "100 * operating_income / revenue",
  net_margin: "100 * net_income / revenue",
  roe: "100 * net_income / equity",
  fcf_margin: "100 * (cash_flow - capex) / revenue",
};
const SUMMED = {
  revenue: "revenue",
  net_income: "netIncome",
  gross_profit: "grossProfit",
  operating_income: "operatingIncome",
  cash_flow: "operatingCashFlow",
  capex: "capitalExpenditure",
} as const;

/** The figures of the US companies as a table expression, computed from the rows of the market file. */
const FIGURES_OF_COMPANIES = `
  WITH quarters AS (
    SELECT symbol, items,
      row_number() OVER (PARTITION BY symbol ORDER BY period_end DESC) AS age
    FROM statements WHERE country = 'US' AND span = 'quarter'
  ), years AS (
    SELECT symbol,
      max(items ->> 'commonEquity') FILTER (WHERE age = 1) AS equity,
      ${Object.entries(SUMMED)
        .map(([name, item]) => `sum(items ->> '${item}') AS ${name}`)
        .join(", ")}
    FROM quarters WHERE age <= 4 GROUP BY symbol
  ), companies AS (
    SELECT sector, shares_outstanding * (quote.body ->> 'price') AS cap, years.*
    FROM instruments JOIN years USING (symbol)
      JOIN documents AS quote ON quote.kind = 'quotes' AND quote.country = 'US' AND quote.key = symbol
    WHERE instruments.country = 'US' AND asset_type IN ('stock', 'reit') AND primary_listing
  ), figures AS (
    SELECT symbol, sector, cap,
      ${Object.entries(FIGURES)
        .map(([name, formula]) => `${formula} AS ${name}`)
        .join(", ")}
    FROM companies
  )`;

/**
 * The size and the medians of each sector of the US, by SQL window functions over the same rows. It
 * computes 8 of our 12 medians and none of the performances, so it is a favourable reference.
 */
export function windowFunctions(market: string): Reference {
  const names = Object.keys(FIGURES);
  return queryOf(
    market,
    `${FIGURES_OF_COMPANIES}, ranked AS (
      SELECT *, count(*) OVER (PARTITION BY sector) AS many,
        ${names.map((name) => `row_number() OVER (PARTITION BY sector ORDER BY ${name}) AS ${name}_rank`).join(", ")}
      FROM figures
    )
    SELECT sector, count(*), sum(cap),
      ${names.map((name) => `avg(${name}) FILTER (WHERE ${name}_rank IN ((many + 1) / 2, (many + 2) / 2)) AS ${name}`).join(", ")}
    FROM ranked GROUP BY sector`,
  );
}

/** The ten US companies with the highest ROE below a P/E, by SQL over the same rows. */
export function screenBySql(market: string, maxPe: number): Reference {
  return queryOf(
    market,
    `${FIGURES_OF_COMPANIES}
    SELECT symbol, cap, pe, roe, count(*) OVER () AS total FROM figures
    WHERE pe > 0 AND pe < ${maxPe} ORDER BY roe DESC LIMIT 10`,
  );
}

function queryOf(market: string, sql: string): Reference {
  const query = new Database(join(market, "market.db"), { readonly: true }).query(sql);
  return {
    name: "SQL window functions",
    run() {
      if (query.all().length === 0) throw new Error("no row was found");
    },
  };
}

/** Inserts daily bars with a prepared statement in one transaction into a new file; returns the time in ms. */
export function insertBars(path: string, bars: number): number {
  const database = new Database(path, { create: true });
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = NORMAL");
  database.run(`CREATE TABLE bars (instrument_id INTEGER NOT NULL, date INTEGER NOT NULL, open REAL NOT NULL,
    high REAL NOT NULL, low REAL NOT NULL, close REAL NOT NULL, volume REAL,
    PRIMARY KEY (instrument_id, date)) STRICT, WITHOUT ROWID`);
  const insert = database.query("INSERT INTO bars VALUES (?, ?, ?, ?, ?, ?, ?)");
  const BARS_OF_ONE = 2_500;
  const start = performance.now();
  database.transaction(() => {
    for (let i = 0; i < bars; i++) {
      const close = 500_000 + (i % 7_919) * 100;
      const date = 20_160_101 + (i % BARS_OF_ONE);
      const id = Math.floor(i / BARS_OF_ONE);
      insert.run(
        id,
        date,
        close,
        close + 5_000,
        close - 5_000,
        close,
        1e6 + 37 * (i % BARS_OF_ONE),
      );
    }
  })();
  const ms = performance.now() - start;
  database.close();
  return ms;
}
