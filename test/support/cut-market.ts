import { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { openMarket, type MarketStore } from "#store/index.ts";
import { openFolder } from "./access.ts";

// What a market knew at the end of a day, by SQL on the columns with days. It uses nothing of the store, so that a fault
// of the store's own view shows.

const DAY_MS = 86_400_000;

interface Split {
  readonly exDate: string;
  readonly numerator: number;
  readonly denominator: number;
}

/** The shares of the end of a day for one share of today. */
interface Ratio {
  readonly prices: (asOf: string) => number;
  readonly shares: (asOf: string) => number;
}

/** A market as it was known on a day. */
interface CutMarket extends Disposable {
  readonly market: MarketStore;
  /** The folder of its file. */
  readonly folder: string;
  /** Removes instruments without prices and statements, which were listed later; returns their symbols. */
  dropUnlisted(): string[];
}

/** A copy of a market file without everything that became known after a day. */
export function cutMarket(file: string, day: string): CutMarket {
  const folder = openFolder();
  const copy = join(folder.path, "market.db");
  copyFileSync(file, copy);
  const db = new Database(copy, { strict: true });
  db.run("PRAGMA foreign_keys = ON");
  db.transaction(() => cut(db, day))();
  db.close();
  const market = openMarket(folder.path, () => Date.parse(day) + DAY_MS - 1);
  return {
    market,
    folder: folder.path,
    dropUnlisted() {
      using writer = new Database(copy, { strict: true });
      writer.run("PRAGMA foreign_keys = ON");
      return writer
        .query<{ symbol: string }, []>(
          `DELETE FROM instruments WHERE id NOT IN (SELECT instrument_id FROM bar_histories)
             AND NOT EXISTS (SELECT 1 FROM statements WHERE statements.country = instruments.country
               AND statements.symbol = instruments.symbol)
             AND NOT EXISTS (SELECT 1 FROM documents WHERE kind IN ('quotes', 'recentCloses')
               AND documents.country = instruments.country AND key = instruments.symbol)
           RETURNING symbol`,
        )
        .all()
        .map(({ symbol }) => symbol);
    },
    [Symbol.dispose]() {
      market.close();
      folder[Symbol.dispose]();
    },
  };
}

function cut(db: Database, day: string): void {
  const end = Date.parse(day) + DAY_MS - 1;
  const undone = laterSplits(db, day);
  db.run("DELETE FROM scaled_bars WHERE date > ?", [Number(day.replaceAll("-", ""))]);
  db.run(
    "DELETE FROM bar_histories WHERE instrument_id NOT IN (SELECT instrument_id FROM scaled_bars)",
  );
  cutStatements(db, day);
  db.run("DELETE FROM documents WHERE kind = 'earningsDates' AND stored_at > ?", [end]);
  cutForecasts(db, day, end);
  db.run(
    "DELETE FROM documents WHERE kind IN ('quotes', 'foreignTrades') AND body ->> 'date' > ?",
    [day],
  );
  db.run(
    `UPDATE documents SET body = json_set(body, '$.marketCap', NULL, '$.epsTtm', NULL, '$.priceToBook', NULL,
       '$.dividendYieldPercent', NULL) WHERE kind = 'quotes' AND stored_at > ?`,
    [end],
  );
  db.run(
    "DELETE FROM documents WHERE kind = 'indexPe' AND date(body ->> 'month' || '-01', '+1 month') > date(?, '+1 day')",
    [day],
  );
  db.run(
    `DELETE FROM documents WHERE kind IN ('holidayOverrides', 'calendarEvents')
       AND body ->> 'date' > ? AND stored_at > ?`,
    [day, end],
  );
  cutSeries(db, day, end);
  cutLists(db, day, end);
  cutCoverage(db, day, end);
  db.run(
    "UPDATE instruments SET shares_outstanding = NULL, shares_as_of = NULL WHERE shares_as_of > ?",
    [day],
  );
  db.run("UPDATE instruments SET delisted_at = NULL WHERE delisted_at > ?", [end]);
  db.run("UPDATE instruments SET employees = NULL, summary = NULL WHERE stored_at > ?", [end]);
  db.run("DELETE FROM index_members WHERE known_from > ?", [day]);
  db.run("UPDATE index_members SET known_until = NULL WHERE known_until > ?", [day]);
  for (const [key, ratio] of undone) undoSplits(db, key, day, ratio);
}

/** Keeps the figures of each period by its last filing until the day. */
function cutStatements(db: Database, day: string): void {
  const period = (one: string, other: string) =>
    ["country", "symbol", "source", "span", "fiscal_year", "fiscal_quarter", "period_end"]
      .map((name) => `${one}.${name} = ${other}.${name}`)
      .join(" AND ");
  // If the last filing of a period stores no figures, the statement has them.
  const known = `SELECT max(filed_on) FROM statement_vintages AS v WHERE ${period("v", "s")}`;
  db.run(
    `DELETE FROM statements AS s WHERE coalesce((${known} AND filed_on <= ?1),
       iif((${known}) IS NULL, filed_on, '9999')) > ?1`,
    [day],
  );
  db.run(
    `UPDATE statements AS s SET items = v.items, filed_on = v.filed_on, shares_as_of = v.shares_as_of
     FROM statement_vintages AS v WHERE ${period("v", "s")} AND v.items IS NOT NULL
       AND v.filed_on = (${known} AND filed_on <= ?1)`,
    [day],
  );
  db.run("DELETE FROM statement_vintages WHERE filed_on > ?", [day]);
}

/** Removes the later items of documents that are lists. */
function cutLists(db: Database, day: string, end: number): void {
  const lists = [
    ["dividends", "dividends", "value ->> 'exDate' <= $day"],
    ["splits", "splits", "value ->> 'exDate' <= $day"],
    ["companyForecasts", "forecasts", "value ->> 'announcedOn' <= $day"],
    ["filings", "filings", "value ->> 'filedOn' <= $day"],
    ["earningsResults", "results", "coalesce(value ->> 'reportedOn' <= $day, stored_at <= $end)"],
  ];
  for (const [kind, list, isKnown] of lists)
    db.query(
      `UPDATE documents SET body = json_set(body, '$.${list}', json((SELECT json_group_array(json(value))
         FROM json_each(body, '$.${list}') WHERE ${isKnown}))) WHERE kind = '${kind}'`,
    ).run({ day, ...(list === "results" && { end }) });
  const isKnown =
    "date(body ->> 'from', (SELECT value FROM json_each(body, '$.days') AS d WHERE d.key = c.key) || ' days') <= $day";
  const kept = (list: string) =>
    `(SELECT json_group_array(value) FROM json_each(body, '$.${list}') AS c WHERE ${isKnown})`;
  db.query(
    `UPDATE documents SET body = json_set(body, '$.closes', json(${kept("closes")}), '$.days', json(${kept("days")}))
     WHERE kind = 'recentCloses'`,
  ).run({ day });
  db.run(
    "DELETE FROM documents WHERE kind = 'recentCloses' AND json_array_length(body, '$.days') = 0",
  );
}

/** Of a view that was stored later, only the ratings of past months and the actions until the day were known. */
function cutCoverage(db: Database, day: string, end: number): void {
  const kept = (list: string, isKnown: string) =>
    `json((SELECT json_group_array(json(value)) FROM json_each(body, '$.${list}') WHERE ${isKnown}))`;
  db.query(
    `UPDATE documents SET body = json_set(body, '$.priceTarget', NULL, '$.estimates', json('[]'),
       '$.ratings', ${kept("ratings", "date(value ->> 'month' || '-01', '+1 month') <= date($day, '+1 day')")},
       '$.actions', ${kept("actions", "value ->> 'date' <= $day")})
     WHERE kind = 'analystCoverage' AND stored_at > $end`,
  ).run({ day, end });
  db.run(
    `DELETE FROM documents WHERE kind = 'analystCoverage' AND json_array_length(body, '$.ratings') = 0
       AND json_array_length(body, '$.actions') = 0`,
  );
}

/** Keeps the figures of macro series by their last vintage of the day; a series without vintages since it was stored. */
function cutSeries(db: Database, day: string, end: number): void {
  const VINTAGES = `SELECT 1 FROM documents AS m WHERE m.kind = 'macroVintages'
    AND m.country = s.country AND m.key = s.key`;
  db.run(
    `DELETE FROM documents AS s WHERE kind = 'macroSeries' AND stored_at > ? AND NOT EXISTS (${VINTAGES})`,
    [end],
  );
  // Of the vintages of a period, SQLite reads the one with the greatest day.
  db.run(
    `UPDATE documents AS s SET body = json_set(body, '$.observations', json((
       SELECT json_group_array(json_object('period', period, 'value', value)) FROM (
         SELECT v.value ->> 'period' AS period, v.value ->> 'value' AS value, max(v.value ->> 'since')
         FROM documents AS m, json_each(m.body, '$.vintages') AS v
         WHERE m.kind = 'macroVintages' AND m.country = s.country AND m.key = s.key
           AND v.value ->> 'since' <= ? GROUP BY 1 ORDER BY 1)
       WHERE value IS NOT NULL)))
     WHERE kind = 'macroSeries' AND EXISTS (${VINTAGES})`,
    [day],
  );
  db.run(
    "DELETE FROM documents WHERE kind = 'macroSeries' AND json_array_length(body, '$.observations') = 0",
  );
  db.run(
    `UPDATE documents SET body = json_set(body, '$.vintages', json((SELECT json_group_array(json(value))
       FROM json_each(body, '$.vintages') WHERE value ->> 'since' <= ?))) WHERE kind = 'macroVintages'`,
    [day],
  );
  db.run(
    "DELETE FROM documents WHERE kind = 'macroVintages' AND json_array_length(body, '$.vintages') = 0",
  );
}

/** Puts the last vintage of the day in the place of each macro forecast that was stored later. */
function cutForecasts(db: Database, day: string, end: number): void {
  db.run("DELETE FROM documents WHERE kind = 'macroForecasts' AND stored_at > ?", [end]);
  // Of the vintages of a forecast, SQLite reads the one with the greatest day.
  db.run(
    `INSERT INTO documents (kind, country, key, body, source, stored_at)
     SELECT 'macroForecasts', country, key, forecast, source,
       min(stored, unixepoch(since, '+1 day') * 1000 - 1) FROM (
       SELECT m.id, m.country, m.key, v.value -> 'forecast' AS forecast, v.value ->> 'source' AS source,
         v.value ->> 'storedAt' AS stored, max(v.value ->> 'since') AS since
       FROM documents AS m, json_each(m.body, '$.vintages') AS v
       WHERE m.kind = 'forecastVintages' AND v.value ->> 'since' <= ? GROUP BY m.id)
     WHERE forecast <> 'null' ORDER BY id ON CONFLICT DO NOTHING`,
    [day],
  );
  db.run(
    `UPDATE documents SET body = json_set(body, '$.vintages', json((SELECT json_group_array(json(value))
       FROM json_each(body, '$.vintages') WHERE value ->> 'since' <= ?))) WHERE kind = 'forecastVintages'`,
    [day],
  );
  db.run(
    "DELETE FROM documents WHERE kind = 'forecastVintages' AND json_array_length(body, '$.vintages') = 0",
  );
}

function laterSplits(db: Database, day: string): Map<string, Ratio> {
  const rows = db
    .query<{ country: string; key: string; body: string }, []>(
      "SELECT country, key, body FROM documents WHERE kind = 'splits'",
    )
    .all();
  const ratioOf = (splits: readonly Split[]) => (asOf: string) =>
    splits
      .filter(({ exDate }) => exDate > day && exDate <= asOf)
      .reduce((ratio, { numerator, denominator }) => (ratio * numerator) / denominator, 1);
  return new Map(
    rows.map(({ country, key, body }) => {
      const { splits } = JSON.parse(body) as { splits: Split[] };
      // The only spin-off of the market.
      const ofShares = splits.filter(({ denominator }) => denominator !== 1000);
      return [`${country} ${key}`, { prices: ratioOf(splits), shares: ratioOf(ofShares) }];
    }),
  );
}

/** Twelve digits, as figures have that are counted in other shares. */
const round = (value: number) => Number(value.toPrecision(12));
const times = (value: number | null | undefined, ratio: number) =>
  value === null || value === undefined || ratio === 1 ? value : round(value * ratio);

/** Brings what is stored in shares of a later day into the shares of the day. */
function undoSplits(db: Database, name: string, day: string, ratio: Ratio): void {
  const [country = "", symbol = ""] = name.split(" ");
  const key = { country, symbol };
  undoInBars(db, key, day, ratio);
  for (const table of ["statements", "statement_vintages"])
    undoInStatements(db, table, key, day, ratio);
  undoInDocuments(db, key, day, ratio);
}

type Key = { country: string; symbol: string };

function undoInBars(db: Database, key: Key, day: string, ratio: Ratio): void {
  const history = db
    .query<{ id: number; asOf: string }, Key>(
      `SELECT instrument_id AS id, bar_histories.shares_as_of AS asOf FROM bar_histories JOIN instruments
         ON instruments.id = instrument_id WHERE country = $country AND symbol = $symbol`,
    )
    .get(key);
  if (!history || history.asOf <= day) return;
  const { id } = history;
  db.run("UPDATE bar_histories SET shares_as_of = ? WHERE instrument_id = ?", [day, id]);
  const factor = ratio.prices(history.asOf);
  if (factor === 1) return;
  const rows = db
    .query<[number, number, number, number, number, number | null], [number]>(
      "SELECT date, open, high, low, close, volume FROM scaled_bars WHERE instrument_id = ?",
    )
    .values(id) as [number, number, number, number, number, number | null][];
  const put = db.query(
    "UPDATE scaled_bars SET open = ?, high = ?, low = ?, close = ?, volume = ? WHERE instrument_id = ? AND date = ?",
  );
  // A negative number is a price, another one is ten thousand times a price.
  const price = (stored: number) => -round((stored < 0 ? -stored : stored / 10_000) * factor);
  for (const [date, open, high, low, close, volume] of rows)
    put.run(
      price(open),
      price(high),
      price(low),
      price(close),
      volume === null ? null : round(volume / factor),
      id,
      date,
    );
}

function undoInStatements(db: Database, table: string, key: Key, day: string, ratio: Ratio): void {
  const rows = db
    .query<
      {
        filed: string;
        span: string;
        year: number;
        quarter: number;
        source: string;
        items: string | null;
        asOf: string;
      },
      Key & { day: string }
    >(
      `SELECT filed_on AS filed, span, fiscal_year AS year, fiscal_quarter AS quarter, source, items, shares_as_of AS asOf
       FROM ${table} WHERE country = $country AND symbol = $symbol AND shares_as_of > $day`,
    )
    .all({ ...key, day });
  const put = db.query(
    `UPDATE ${table} SET items = $items, shares_as_of = $day WHERE country = $country AND symbol = $symbol
       AND source = $source AND span = $span AND fiscal_year = $year AND fiscal_quarter = $quarter AND filed_on = $filed`,
  );
  for (const { items, asOf, ...row } of rows) {
    const figures = items === null ? null : (JSON.parse(items) as Record<string, number | null>);
    const factor = ratio.shares(asOf);
    if (figures && factor !== 1) {
      if (figures["epsDiluted"] !== undefined)
        figures["epsDiluted"] = times(figures["epsDiluted"], factor) ?? null;
      for (const item of ["sharesDiluted", "sharesOutstanding"])
        if (figures[item] !== undefined) figures[item] = times(figures[item], 1 / factor) ?? null;
    }
    put.run({ ...key, ...row, day, items: figures && JSON.stringify(figures) });
  }
}

type Figures = Record<string, number | string | null>;

function undoInDocuments(db: Database, { country, symbol }: Key, day: string, ratio: Ratio): void {
  const edit = (
    kind: string,
    change: (body: Record<string, unknown>, storedOn: string) => void,
  ) => {
    const found = db
      .query<{ id: number; body: string; storedOn: string }, [string, string, string]>(
        `SELECT id, body, date(stored_at / 1000, 'unixepoch') AS storedOn FROM documents
         WHERE kind = ? AND country = ? AND key = ?`,
      )
      .get(kind, country, symbol);
    if (!found || found.storedOn <= day) return;
    const body = JSON.parse(found.body) as Record<string, unknown>;
    change(body, found.storedOn);
    db.run("UPDATE documents SET body = ? WHERE id = ?", [JSON.stringify(body), found.id]);
  };
  edit("dividends", (body, storedOn) => {
    const factor = ratio.prices((body["sharesAsOf"] as string | undefined) ?? storedOn);
    for (const one of body["dividends"] as Figures[])
      one["amount"] = times(one["amount"] as number, factor) ?? null;
    body["sharesAsOf"] = day;
  });
  edit("analystCoverage", (body, storedOn) => {
    for (const one of body["actions"] as Figures[])
      for (const name of ["priceTarget", "priorPriceTarget"])
        one[name] = times(one[name] as number | null, ratio.prices(storedOn)) ?? null;
  });
  edit("earningsResults", (body, storedOn) => {
    for (const one of body["results"] as Figures[]) {
      const factor = ratio.shares((one["sharesAsOf"] as string | undefined) ?? storedOn);
      for (const name of ["epsActual", "epsEstimate"])
        one[name] = times(one[name] as number | null, factor) ?? null;
      one["sharesAsOf"] = day;
    }
  });
}
