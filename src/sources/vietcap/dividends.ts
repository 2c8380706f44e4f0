import { Type } from "@sinclair/typebox";
import { wholeYearsAfter } from "#analytics/dividend-check.ts";
import { localDateOf } from "#domain/country.ts";
import type { Dividend } from "#domain/dividend.ts";
import { isShare } from "#domain/instrument.ts";
import { Nullable, type Static } from "#domain/schema.ts";
import { addMonths, isDate } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { BadRow } from "#sources/list.ts";
import { dataReader, VIETCAP_SERVICE } from "./answer.ts";
import { VIETCAP } from "./source.ts";

const EVENTS_PER_PAGE = 200;
/** FPT has 79 dividends and issues since 2010. */
const MAX_PAGES = 5;
/** The list begins in 2010; older days do no harm. */
const FIRST_DAY = "20060101";
/** Ex-dates are announced some weeks ahead. */
const MONTHS_AHEAD = 6;

const Text = Type.Optional(Nullable(Type.String()));
const Event = Type.Object({
  ticker: Type.String(),
  eventCode: Type.String(),
  eventTitleVi: Text,
  eventTitleEn: Text,
  /** The first day without the right, `2026-06-24` or `2026-06-24T00:00:00`. */
  exrightDate: Text,
  /** The cash of a dividend, in VND per share as declared. */
  valuePerShare: Type.Optional(Nullable(Type.Number())),
});
type Event = Static<typeof Event>;

const readPage = dataReader(
  Type.Object({ content: Type.Array(Event, { maxItems: EVENTS_PER_PAGE }) }),
);

/** Shares that are sold to employees or to a single investor change neither prices nor dividends. */
const WITHOUT_RIGHT =
  /CBCNV|cán bộ|người lao động|riêng lẻ|hoán đổi|chuyển đổi|\bESOP\b|employee|private placement|conversion/i;

/**
 * The cash dividends of a company in today's shares. Amounts are as declared, so the history begins with the first calendar
 * year after the last share dividend, bonus issue or right: no free source has the prices as traded, which would show
 * what such an issue did to a share. A dividend without an amount, and two amounts on one day, also end what is known.
 * Announced dividends are in it, up to the next announced issue of shares to the owners.
 */
export const vietcapDividends = defineFetcher({
  kind: "dividends",
  source: VIETCAP,
  countries: ["VN"],
  scope: "instrument",
  async fetch({ instrument, now }, client) {
    if (!instrument || !isShare(instrument.assetType))
      throw VIETCAP.error("nothing", "it has no dividends of the instrument");
    const events: Event[] = [];
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = new URLSearchParams({
        ticker: instrument.symbol,
        fromDate: FIRST_DAY,
        toDate: addMonths(localDateOf("VN", now), MONTHS_AHEAD).replaceAll("-", ""),
        eventCode: "DIV,ISS",
        page: String(page),
        size: String(EVENTS_PER_PAGE),
      });
      const answer = await client.request(`${VIETCAP_SERVICE}/v1/events?${query.toString()}`);
      const { content } = readPage(await answer.json());
      events.push(...content);
      if (content.length < EVENTS_PER_PAGE) return events;
    }
    throw VIETCAP.error("invalid_answer", "the list of events does not end");
  },
  *transform(events, { instrument, now }) {
    const symbol = instrument?.symbol ?? "";
    const today = localDateOf("VN", now);
    const own = events.filter(({ ticker }) => ticker === symbol);
    if (own.length < events.length)
      throw VIETCAP.error("invalid_answer", "the events are of another company");
    const { dividends, unknownUpTo } = readEvents(own, today);
    const history = { country: "VN", symbol, dividends } as const;
    const known =
      unknownUpTo === null ? history : wholeYearsAfter(history, unknownUpTo.date, today);
    if (unknownUpTo !== null) {
      const reason = `${symbol}: its dividends up to ${unknownUpTo.date} are unknown: ${unknownUpTo.why}`;
      if (known === null) throw VIETCAP.error("nothing", reason);
      yield new BadRow(VIETCAP.error("invalid_answer", reason), null, false);
    }
    if (dividends.length === 0)
      throw VIETCAP.error("nothing", "it lists no dividend of the company");
    if (known !== null) yield known;
  },
});

/** The dividends, oldest first, and the last event up to today that makes the ones before it unknown. */
function readEvents(events: readonly Event[], today: string) {
  const amounts = new Map<string, number>();
  let unknownUpTo: { readonly date: string; readonly why: string } | null = null;
  let knownBefore = "9999";
  const doubt = (date: string, why: string) => {
    if (date > today) {
      if (date < knownBefore) knownBefore = date;
      return;
    }
    if (unknownUpTo === null || date > unknownUpTo.date) unknownUpTo = { date, why };
  };
  for (const { eventCode, exrightDate, valuePerShare, eventTitleVi, eventTitleEn } of events) {
    // An announcement without its day is listed again when the day is known.
    if (!exrightDate) continue;
    const date = exrightDate.slice(0, 10);
    if (!isDate(date))
      throw VIETCAP.error("invalid_answer", "the day of an event is in another form");
    if (eventCode !== "DIV") {
      const title = `${eventTitleVi ?? ""} ${eventTitleEn ?? ""}`;
      if (!WITHOUT_RIGHT.test(title)) doubt(date, "shares were issued to the owners");
      continue;
    }
    const amount = valuePerShare ?? 0;
    const listed = amounts.get(date);
    if (amount < LEAST_DIVIDEND) doubt(date, "a dividend has no amount");
    else if (listed !== undefined && listed !== amount) doubt(date, "two dividends have one day");
    else amounts.set(date, amount);
  }
  const dividends = [...amounts]
    .flatMap(([exDate, amount]): Dividend[] => (exDate < knownBefore ? [{ exDate, amount }] : []))
    .sort((a, b) => a.exDate.localeCompare(b.exDate));
  return { dividends, unknownUpTo: unknownUpTo as { date: string; why: string } | null };
}

/** In VND. Smaller values are a share of the par value, such as 0.1. */
const LEAST_DIVIDEND = 1;
