import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { formatAtom } from "#lib/atom.ts";
import { type CalendarEntry, formatCalendar } from "#lib/icalendar.ts";
import { mapInTurns } from "#lib/next-turn.ts";
import { numberText } from "#lib/number-text.ts";
import type { PayloadOf } from "#operations/index.ts";
import { type FeedBody, type FeedLayer, type FeedRequest, textBody } from "./layer.ts";
import {
  amountsByDate,
  amountsText,
  type FeedInstrument,
  getInstrument,
  getSymbols,
  ratioText,
} from "./request.ts";

/** Events of companies, which need tickers, and events of countries. */
const KINDS = ["earnings", "dividends", "splits", "releases", "holidays"] as const;
type Kind = (typeof KINDS)[number];
const COMPANY_KINDS: readonly Kind[] = ["earnings", "dividends", "splits"];

/** How many days past publications remain. */
const PAST_DAYS = 30;
/** How often clients should ask again. */
const REFRESH_HOURS = 6;
/** The most entries of a news feed. */
const MAX_NEWS = 100;
/** The reports of a company in a news feed: a year of quarters. */
const REPORTS = 4;
/** Publications of one call. */
const PAGE = 200;

const SESSIONS: Readonly<Record<string, string>> = {
  before_market_open: ", before the open",
  after_market_close: ", after the close",
};

/** Calendar programs: Google Calendar, Apple Calendar, Outlook, Thunderbird, khal. And readers of news feeds. */
export const calendar: FeedLayer = {
  name: "calendar",
  title: "calendar programs (iCalendar) and news readers (Atom)",
  routes: { "/calendar.ics": answerCalendar, "/calendar.atom": answerNews },
  names: { symbols: ["tickers"] },
  fail: ({ message, details: { hint } }) =>
    textBody(`${[message, hint].filter(Boolean).join(" ")}\n`),
};

/** What the calendar cannot have, in sentences. */
type Notes = Set<string>;

async function answerCalendar(request: FeedRequest): Promise<FeedBody> {
  const { entries, notes } = await listEntries(request, listEarnings);
  const body = await formatCalendar({
    name: "bourse",
    description: notes,
    refreshHours: REFRESH_HOURS,
    entries,
  });
  return { type: "text/calendar; charset=utf-8", body };
}

/** What happened, newest first: publications and reports with their figures, dividends, splits and holidays. */
async function answerNews(request: FeedRequest): Promise<FeedBody> {
  const { query, now } = request;
  const { entries, notes } = await listEntries(request, listReports);
  const past = entries
    .map(({ start, summary, description, uid, category }) => ({
      uid,
      at: typeof start === "string" ? Date.parse(start) : start,
      title: summary,
      text: description,
      category,
    }))
    .filter(({ at }) => at <= now)
    .toSorted((a, b) => b.at - a.at || (a.uid < b.uid ? -1 : 1));
  const body = formatAtom({
    uid: `calendar?${query.toString()}`,
    title: "bourse",
    subtitle: notes,
    author: "bourse",
    entries: past.slice(0, MAX_NEWS),
    emptyAt: now,
  });
  return { type: "application/atom+xml; charset=utf-8", body };
}

/** The entries of the companies for the kind `earnings`. */
type ListEarnings = (
  request: FeedRequest,
  companies: readonly FeedInstrument[],
  notes: Notes,
) => Promise<CalendarEntry[]>;

/** The entries that the query asks for, and in sentences what cannot be among them. */
async function listEntries(
  request: FeedRequest,
  earningsOf: ListEarnings,
): Promise<{ entries: CalendarEntry[]; notes: string }> {
  const { query } = request;
  const tickers = query.has("tickers") ? getSymbols(query, "tickers") : [];
  const kinds = readList(query, "kinds", KINDS);
  const wanted = kinds ?? KINDS.filter((kind) => tickers.length > 0 || !isOfCompany(kind));
  if (tickers.length === 0 && wanted.some(isOfCompany)) getSymbols(query, "tickers");
  const notes: Notes = new Set();
  const companies = wanted.some(isOfCompany) ? await findCompanies(request, tickers, notes) : [];
  const countries = readList(query, "country", COUNTRY_CODES) ?? COUNTRY_CODES;
  const entries = [
    ...(wanted.includes("earnings") ? await earningsOf(request, companies, notes) : []),
    ...(await listPayments(request, companies, wanted, notes)),
    ...(wanted.includes("releases") ? await listReleases(request, countries) : []),
    ...(wanted.includes("holidays") ? await listHolidays(request, countries) : []),
  ];
  return { entries, notes: [...notes].join(" ") };
}

const isOfCompany = (kind: Kind) => COMPANY_KINDS.includes(kind);

/** The values of a comma-separated parameter; null without it. @throws BourseError for another value */
function readList<const T extends string>(
  query: URLSearchParams,
  name: string,
  allowed: readonly T[],
): readonly T[] | null {
  const text = query.get(name);
  if (text === null) return null;
  const values = text.split(",").map((one) => one.trim().toLowerCase());
  const unknown = values.find((value) => !allowed.some((one) => one.toLowerCase() === value));
  if (unknown === undefined) {
    return allowed.filter((one) => values.includes(one.toLowerCase()));
  }
  throw invalidArgument(
    `${name} must be one or more of ${allowed.join(", ")}, separated by commas, not “${unknown}”.`,
    { param: name },
  );
}

/** The instruments of the tickers. An unknown ticker is in the notes. @throws BourseError if all are unknown */
async function findCompanies(
  { call }: FeedRequest,
  tickers: readonly string[],
  notes: Notes,
): Promise<FeedInstrument[]> {
  const found = await mapInTurns(tickers, async (ticker) => {
    const instrument = await findAnswer(getInstrument(call, ticker));
    if (instrument === null) notes.add(`The symbol ${ticker} is unknown.`);
    return instrument === null ? [] : [instrument];
  });
  const companies = new Map(found.flat().map((one) => [`${one.country}:${one.symbol}`, one]));
  if (companies.size > 0) return [...companies.values()];
  throw notFound([...notes].join(" "), { param: "tickers" });
}

/** An answer, or null if what it is about is not found. @throws BourseError for another reason */
async function findAnswer<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof BourseError && error.code === "not_found") return null;
    throw error;
  }
}

/** The next report of each company, a day in New York. */
async function listEarnings(
  { call, changedAt }: FeedRequest,
  companies: readonly FeedInstrument[],
  notes: Notes,
): Promise<CalendarEntry[]> {
  if (companies.some(({ country }) => country !== "US")) {
    notes.add("Report dates are known of US companies only.");
  }
  const covered = companies.filter(({ country }) => country === "US");
  const lists = await mapInTurns(covered, async ({ symbol }) => {
    const payload = await findAnswer(call("get_earnings_calendar", { tickers: symbol }));
    if (payload === null) return [];
    return payload.earnings.map((report) => toReport(report, changedAt(payload)));
  });
  return lists.flat();
}

function toReport(
  report: PayloadOf<"get_earnings_calendar">["earnings"][number],
  changedAt: number,
): CalendarEntry {
  const { symbol, name, date, session, fiscal_period: period } = report;
  // A report that is moved remains the report of its period.
  const uid = period ?? date.slice(0, 7);
  const figures = [
    ["EPS estimate", report.eps_estimate],
    ["Revenue estimate", report.revenue_estimate],
  ] as const;
  return {
    uid: uidOf("earnings", "US", symbol, uid.replaceAll(" ", "-")),
    start: date,
    summary: `${symbol} earnings${period === null ? "" : ` ${period}`}${SESSIONS[session] ?? ""}`,
    description: [
      name,
      ...figures.flatMap(([label, value]) =>
        value === null ? [] : `${label}: ${numberText(value)} USD`,
      ),
    ].join("\n"),
    category: "Earnings",
    changedAt,
  };
}

/** The newest reports of each company, a day in New York, with what analysts expected. */
async function listReports(
  { call, changedAt }: FeedRequest,
  companies: readonly FeedInstrument[],
): Promise<CalendarEntry[]> {
  const lists = await mapInTurns(companies, async ({ country, symbol, name }) => {
    const args = { country, symbol, sections: "surprises", limit: REPORTS };
    const payload = await findAnswer(call("get_stock_forecast", args));
    return (payload?.surprises ?? []).flatMap((report) =>
      report.reported_on === null
        ? []
        : {
            uid: uidOf("reports", country, symbol, report.quarter_end),
            start: report.reported_on,
            summary: `${symbol} reported ${report.quarter_end}: EPS ${numberText(report.eps_actual)} ${payload?.currency}`,
            description: [
              name,
              ...(report.eps_estimate === null
                ? []
                : [`Estimate: ${numberText(report.eps_estimate)} ${payload?.currency}`]),
              ...(report.surprise_percent === null
                ? []
                : [`Surprise: ${report.surprise_percent} %`]),
            ].join("\n"),
            category: "Earnings",
            changedAt: payload ? changedAt(payload) : 0,
          },
    );
  });
  return lists.flat();
}

/** Dividends and splits of the last year, and those that are announced. */
async function listPayments(
  { call, changedAt }: FeedRequest,
  companies: readonly FeedInstrument[],
  kinds: readonly Kind[],
  notes: Notes,
): Promise<CalendarEntry[]> {
  const asked = { dividends: kinds.includes("dividends"), splits: kinds.includes("splits") };
  if (!asked.dividends && !asked.splits) return [];
  const lists = await mapInTurns(companies, async ({ country, symbol, name }) => {
    const args = { country, symbol, range: "1y", limit: 1, ...asked };
    const payload = await findAnswer(call("get_stock_price_history", args));
    if (payload === null) {
      notes.add(`There are no prices of ${symbol}.`);
      return [];
    }
    for (const kind of ["dividends", "splits"] as const) {
      if (payload[kind] === null) notes.add(`The ${kind} of ${symbol} are unknown.`);
    }
    const entry = (kind: Kind, date: unknown, summary: string, description: string) => ({
      uid: uidOf(kind, country, symbol, String(date)),
      start: String(date),
      summary: `${symbol} ${summary}`,
      description,
      category: kind === "splits" ? "Splits" : "Dividends",
      changedAt: changedAt(payload),
    });
    const perShare = `${name}\nA share bought before this day receives the dividend. In today's shares.`;
    return [
      ...[...amountsByDate(payload.dividends)].map(([date, amounts]) =>
        entry(
          "dividends",
          date,
          `ex-dividend ${amountsText(amounts)} ${payload.currency}`,
          perShare,
        ),
      ),
      ...(payload.splits?.rows ?? []).map(([date, more, before]) =>
        entry("splits", date, `split ${ratioText(more, before)}`, name),
      ),
    ];
  });
  return lists.flat();
}

/** Economic publications, at their moment. */
async function listReleases(
  { call, changedAt, query, now }: FeedRequest,
  countries: readonly Country[],
): Promise<CalendarEntry[]> {
  const from = addDays(dateOf(now), -PAST_DAYS);
  const importance = query.get("importance") ?? undefined;
  const entries: CalendarEntry[] = [];
  for (const country of countries) {
    let cursor: string | undefined;
    do {
      const args = { country, from, importance, limit: PAGE, cursor };
      const payload = await call("get_macro_calendar", args);
      entries.push(...payload.events.map((event) => toRelease(country, event, changedAt(payload))));
      cursor = payload.next_cursor;
    } while (cursor !== undefined);
  }
  return entries;
}

function toRelease(
  country: Country,
  event: PayloadOf<"get_macro_calendar">["events"][number],
  changedAt: number,
): CalendarEntry {
  const figures = [
    ["Actual", event.actual],
    ["Consensus", event.consensus],
    ["Forecast", event.forecast],
    ["Previous", event.previous],
  ] as const;
  return {
    uid: uidOf("releases", country, event.id),
    start: Date.parse(`${event.date}T${event.time}Z`),
    summary: `${country} ${event.event}`,
    description: [
      ...figures.flatMap(([label, value]) => (value === null ? [] : `${label}: ${value}`)),
      ...(event.unit ? [`Unit: ${event.unit}`] : []),
      `Importance: ${event.importance}`,
      `Local time: ${event.local_time}`,
    ].join("\n"),
    category: "Releases",
    changedAt,
  };
}

/** The days on which the exchanges are closed or close early. */
async function listHolidays(
  { call, changedAt }: FeedRequest,
  countries: readonly Country[],
): Promise<CalendarEntry[]> {
  const payload = await call("get_markets", {});
  return payload.countries
    .filter(({ code }) => countries.includes(code))
    .flatMap(({ code, upcoming_holidays: holidays, upcoming_half_days: halfDays }) =>
      [
        ...holidays.map((day) => ({ ...day, state: "closed" })),
        ...halfDays.map((day) => ({ ...day, state: `closes at ${day.closes_at}` })),
      ].map(({ date, name, state }) => ({
        uid: uidOf("holidays", code, date),
        start: date,
        summary: `${code} exchange ${state}: ${name}`,
        description: COUNTRIES[code].name,
        category: "Holidays",
        changedAt: changedAt(payload),
      })),
    );
}

const uidOf = (...parts: readonly string[]) => `${parts.join("-")}@bourse`;
