import type { Statement } from "#domain/statement.ts";
import { addMonths, dateOf } from "#lib/date.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { type BadRow, finishReading } from "#sources/list.ts";
import type { SourceClient, SourceError } from "#sources/source.ts";
import { companyStatements, misstatedFilings } from "./company-statements.ts";
import { parseFacts } from "./facts.ts";
import { findFirstFiler, firstFiledOn, joinPredecessor } from "./predecessor.ts";
import { cikText, fetchRegistrants, getCik, readRegistrants } from "./registrants.ts";
import { SEC } from "./source.ts";
import { statementVintages } from "./statement-vintages.ts";

/** The companyfacts of a company. */
interface CompanyAnswers {
  readonly own: unknown;
  /** Of the company that filed its first report, which may be its predecessor; null if there is none. */
  readonly predecessor: unknown;
}

/** A company whose first report is older has its history under its own CIK. */
const YOUNG_MONTHS = 60;

/**
 * The quarters and years of one US company from its XBRL facts, oldest first.
 *
 * - A restated figure has the value of the latest filing; `filedOn` is the day on which the period
 *   was first reported in XBRL (for periods before about 2009, the first filing that repeats them).
 * - A quarter that no filing states alone (the fourth; cash flows) is the difference of two longer
 *   periods of the same filing generation: a year restated after a spin-off is not reduced by
 *   quarters that were not restated. `sharesDiluted`, an average, is null there, and so are earnings per
 *   share that do not agree with the quarter's net income.
 * - If a flow's quarter cannot be derived, there is also a year-to-date statement.
 * - Revenue of banks is net interest income + other income; common equity is without preferred equity.
 * - Cash is a sum of several tags; null if nothing proves that it is complete. `findTotalDebts`
 *   defines debt, `sharesOutstanding` the number of shares.
 * - If several tags give an item, each fiscal year takes the tag with the most periods in that year.
 * - Share counts and per-share figures are in the shares of `sharesAsOf`: see `findShareBasis`.
 * - Amounts of a filing in another unit (thousands) are left out: see `inOneUnit`.
 * - The statements of a holding company begin with its predecessor's: see `joinPredecessor`.
 * - A foreign company reports in its own currency, per ordinary share, and usually whole years only.
 */
export const secStatements = defineFetcher({
  kind: "statements",
  source: SEC,
  countries: ["US"],
  scope: "instrument",
  async fetch(query, client): Promise<CompanyAnswers> {
    const registrants = finishReading(readRegistrants(await fetchRegistrants(client)));
    const cik = getCik(registrants, symbolOf(query));
    const own = await fetchFacts(client, cik);
    if (own === null) throw nothing(query);
    const facts = parseFacts(own);
    const since = addMonths(dateOf(query.now), -YOUNG_MONTHS);
    const filer = firstFiledOn(facts) < since ? null : findFirstFiler(facts, cik);
    return { own, predecessor: filer === null ? null : await fetchFacts(client, filer) };
  },
  others(answers, query) {
    const { facts, symbol, splits } = readAnswers(answers, query);
    const current = companyStatements(facts, symbol, splits);
    return [{ kind: "statementVintages", records: statementVintages(facts, current, splits) }];
  },
  *transform(answers, query): Generator<Statement | BadRow> {
    const { facts, symbol, splits } = readAnswers(answers, query);
    const statements = companyStatements(facts, symbol, splits);
    if (statements.length === 0) throw nothing(query);
    yield* misstatedFilings(facts, symbol);
    yield* statements;
  },
});

function readAnswers({ own, predecessor }: CompanyAnswers, query: LiveQuery) {
  const symbol = symbolOf(query);
  const facts = parseFacts(own);
  return {
    facts: predecessor === null ? facts : joinPredecessor(facts, parseFacts(predecessor)),
    symbol,
    splits: query.splitsOf?.(symbol) ?? null,
  };
}

/** The companyfacts of a CIK; null if it has none. */
async function fetchFacts(client: SourceClient, cik: number): Promise<unknown> {
  const answer = await client.request(
    `https://data.sec.gov/api/xbrl/companyfacts/${cikText(cik)}.json`,
    { accept: [404] },
  );
  return answer.status === 404 ? null : answer.json();
}

function symbolOf({ instrument }: LiveQuery): string {
  if (!instrument) throw SEC.error("nothing", "the request names no instrument");
  return instrument.symbol;
}

function nothing(query: LiveQuery): SourceError {
  return SEC.error("nothing", `no statements of ${symbolOf(query)}`);
}
