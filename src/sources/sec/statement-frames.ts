import { dateOf } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { readInTurns } from "#sources/list.ts";
import type { SourceClient, SourceError } from "#sources/source.ts";
import { companyStatements } from "./company-statements.ts";
import {
  companiesInFrames,
  fetchFrame,
  type Frame,
  type FrameFigures,
  listFrames,
} from "./frames.ts";
import { fetchRegistrants, listTickers, readRegistrants } from "./registrants.ts";
import { SEC } from "./source.ts";

/** Tags from whose frames alone statements can be made. */
const PROBED: ReadonlySet<string> = new Set(["Assets", "NetIncomeLoss"]);

/** The frames, and the symbols of the companies that they are about. */
interface CompaniesInFrames {
  /** The symbols of each company. */
  readonly companies: readonly (readonly string[])[];
  readonly frames: readonly FrameFigures[];
}

/**
 * The quarters and years of all US companies since about two years, from the SEC's frames: some 630
 * requests instead of one for each company.
 *
 * They are placed in fiscal periods like `secStatements` places the facts of one company, and have the
 * same figures, with these differences:
 *
 * - Cash flows, depreciation and EBITDA are known for whole years only, because frames have no year to
 *   date.
 * - `filedOn` is the day on which the report was due, because frames do not have the day of filing.
 * - A fiscal year has the number of the calendar year in which it ends.
 * - The fourth quarter of a year that was restated later may be reduced by quarters that were not.
 * - Companies without quarterly reports, and those in another currency, are missing.
 */
export const secFrames = defineFetcher({
  kind: "statements",
  source: SEC,
  countries: ["US"],
  scope: "country",
  /** Each answer is reduced at once to the figures of listed companies: all answers have 300 MB. */
  async fetch({ now, listed, isProbe }, client): Promise<CompaniesInFrames> {
    const registrants = await readInTurns(readRegistrants(await fetchRegistrants(client)));
    const isAll = isProbe || !listed;
    const tickers = listTickers(
      registrants,
      isAll ? null : new Set(listed.map(({ symbol }) => symbol)),
    );
    const places = new Map([...tickers.keys()].map((cik, place) => [cik, place]));
    const wanted = listFrames(now);
    const frames = await fetchFrames(client, listProbed(wanted, true), places);
    // If the frames have moved, the other 600 requests would be in vain too.
    if (frames.every(({ values }) => values.length === 0)) throw noStatements();
    if (!isProbe) frames.push(...(await fetchFrames(client, listProbed(wanted, false), places)));
    return { companies: [...tickers.values()], frames };
  },
  *transform({ companies, frames }, { now }) {
    let found = 0;
    const today = dateOf(now);
    const inOrder = companiesInFrames(frames, companies.length, today);
    for (const symbols of companies) {
      yield undefined;
      const facts = inOrder.next().value ?? null;
      const statements = facts ? companyStatements([facts], symbols[0] ?? "", null) : [];
      found += statements.length;
      for (const symbol of symbols)
        yield* statements.map((statement) => ({ ...statement, symbol }));
    }
    if (found === 0) throw noStatements();
  },
});

function listProbed(frames: readonly Frame[], isProbed: boolean): Frame[] {
  return frames.filter(({ tag }) => PROBED.has(tag) === isProbed);
}

async function fetchFrames(
  client: SourceClient,
  wanted: readonly Frame[],
  places: ReadonlyMap<number, number>,
): Promise<FrameFigures[]> {
  const frames: FrameFigures[] = [];
  const waiting = wanted.entries();
  const fetchNext = async () => {
    for (const [i, frame] of waiting) frames[i] = await fetchFrame(client, frame, places);
  };
  await Promise.all(Array.from({ length: SEC.concurrency }, fetchNext));
  return frames;
}

function noStatements(): SourceError {
  return SEC.error("nothing", "its frames have no company with statements");
}
