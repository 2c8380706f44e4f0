import { assumedFiling } from "#analytics/filing-day.ts";
import { dateOf } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { finishReading } from "#sources/list.ts";
import type { SourceError } from "#sources/source.ts";
import { companyStatements, misstatedFilings } from "./company-statements.ts";
import {
  addPredecessors,
  companiesInFrames,
  type Frame,
  type FrameFigures,
  listFrames,
  readFrame,
  requestFrame,
} from "./frames.ts";
import { fetchRegistrants, listTickers, readRegistrants } from "./registrants.ts";
import { SEC } from "./source.ts";

/** The tags from whose frames alone statements can be made. */
const [SHEET, EARNINGS] = ["Assets", "NetIncomeLoss"] as const;

/** The frames, and the symbols of the companies that they are about. */
interface CompaniesInFrames {
  /** The symbols of each company. */
  readonly companies: readonly (readonly string[])[];
  readonly frames: readonly FrameFigures[];
}

/**
 * The quarters and years of all US companies since about two years, from the SEC's frames: some 800
 * requests instead of one for each company.
 *
 * They are placed in fiscal periods like `secStatements` places the facts of one company, and have the
 * same figures, with these differences:
 *
 * - Cash flows, depreciation and EBITDA are known for whole years only, because frames have no year to
 *   date.
 * - `filedOn` is assumed, because frames do not have the day of filing.
 * - Details (research, interest, receivables, leases, …), the cash of banks and the number of shares are missing.
 * - Inventory is 0 without its line and without a change of inventories in the cash flows of the two years.
 * - EBITDA needs a tag for amortization, because goodwill and intangible assets are not in the frames. Preferred
 *   equity needs a line if net income to common shareholders is smaller, because dividends are not in the frames.
 * - Figures per share are missing if the number of shares jumps within the two years.
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
    const registrants = finishReading(readRegistrants(await fetchRegistrants(client)));
    const isAll = isProbe || !listed;
    const tickers = listTickers(
      registrants,
      isAll ? null : new Set(listed.map(({ symbol }) => symbol)),
    );
    const own = new Map([...tickers.keys()].map((cik, place) => [cik, place]));
    const wanted = listFrames(now);
    const sheets = wanted.filter(({ tag }) => tag === SHEET);
    const answers = await inParallel(sheets, (frame) => requestFrame(client, frame));
    const places = addPredecessors(own, answers);
    const fetchAll = (tags: readonly Frame[]) =>
      inParallel(tags, async (frame) =>
        readFrame(frame, await requestFrame(client, frame), places),
      );
    const frames = sheets.map((frame, i) => readFrame(frame, answers[i], places));
    frames.push(...(await fetchAll(wanted.filter(({ tag }) => tag === EARNINGS))));
    // If the frames have moved, the other 600 requests would fail too.
    if (frames.every(({ values }) => values.length === 0)) throw noStatements();
    const others = wanted.filter(({ tag }) => tag !== SHEET && tag !== EARNINGS);
    if (!isProbe) frames.push(...(await fetchAll(others)));
    return { companies: [...tickers.values()], frames };
  },
  *transform({ companies, frames }, { now }) {
    let found = 0;
    const today = dateOf(now);
    const inOrder = companiesInFrames(frames, companies.length, today);
    for (const symbols of companies) {
      const facts = inOrder.next().value ?? null;
      const statements = facts ? companyStatements([facts], symbols[0] ?? "", null) : [];
      if (facts) yield* misstatedFilings([facts], symbols[0] ?? "");
      found += statements.length;
      // A split after the newest period would show in its shares, and per-share figures be left out.
      const sharesAsOf = statements.at(-1)?.periodEnd;
      for (const symbol of symbols)
        yield* statements.map((one) => ({
          ...one,
          ...assumedFiling(one, today),
          symbol,
          ...(sharesAsOf && { sharesAsOf }),
        }));
    }
    if (found === 0) throw noStatements();
  },
});

/** The results in the order of the frames; as many at once as the source allows. */
async function inParallel<T>(
  wanted: readonly Frame[],
  fetchOne: (frame: Frame, i: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  const waiting = wanted.entries();
  const fetchNext = async () => {
    for (const [i, frame] of waiting) results[i] = await fetchOne(frame, i);
  };
  await Promise.all(Array.from({ length: SEC.concurrency }, fetchNext));
  return results;
}

function noStatements(): SourceError {
  return SEC.error("nothing", "its frames have no company with statements");
}
