import { useRef } from "preact/hooks";
import { timeNow } from "#console/app/clock.ts";
import {
  type AnswerOf,
  asApiError,
  type Call,
  callOperation,
  dataKey,
  queryOf,
  TOOL_ROWS,
  type Resource,
  useResource,
  useData,
} from "#console/app/api.ts";
import { addDays, keptDatesOf, mondayOf, today, WEEK_DAYS } from "#console/app/days.ts";
import { countryName, MARKETS } from "#console/app/parts/country.tsx";
import { showToast } from "#console/app/parts/toast.tsx";
import { closureText, type Holiday } from "./holidays.ts";
import { type PaymentsAnswer, usePayments } from "./payments.ts";
import type { OperationName, PayloadOf } from "#operations/index.ts";
import { translate } from "#console/app/words.ts";

const SEARCHED_DAYS = 90;
/** The most events and reports of a call. */
const MAX_LISTED = 200;
/** All countries, or all levels of importance. */
export const ALL = "all";

/** What the calendar has, with their names. */
export const KINDS = {
  releases: "Publications",
  holidays: "Holidays",
  earnings: "Earnings",
  dividends: "Ex-dividend dates",
  splits: "Splits",
} as const;
/** A kind of event. */
export type Kind = keyof typeof KINDS;
/** The kinds in their order. */
export const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** The kinds of events of companies, which a list may restrict. */
export const COMPANY_KINDS: readonly Kind[] = ["earnings", "dividends", "splits"];

/** The kinds that the address does not hide. */
export function shownKinds(query: URLSearchParams): readonly Kind[] {
  const hidden = query.get("hide")?.split(",") ?? [];
  return KIND_NAMES.filter((kind) => !hidden.includes(kind));
}

/** True for text that can be read as a date. */
export const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text));

/** The first and the last day of a period. */
interface Days {
  readonly from: string;
  readonly to: string;
}

/** True if the address asks for a week in columns. */
export const isWeek = (query: URLSearchParams): boolean => query.get("view") === "week";

/** The first day that the address asks for, today by default. A week begins on its Monday. */
export function firstDay(query: URLSearchParams, from = query.get("from") ?? today()): string {
  return isWeek(query) && isDate(from) ? mondayOf(from) : from;
}

/** The days that the address asks for: seven from the first one on. */
export function readDays(query: URLSearchParams, days = WEEK_DAYS): Days {
  const from = firstDay(query);
  return { from, to: isDate(from) ? addDays(from, days - 1) : from };
}

/** The days of publications and holidays: a quarter to find one. */
export function eventDays(query: URLSearchParams): Days {
  return readDays(query, query.has("find") ? SEARCHED_DAYS : WEEK_DAYS);
}

/** The call for the publications of the days and countries in the address. */
export function eventsCall(query: URLSearchParams): Call<"get_macro_calendar"> {
  const { from, to } = eventDays(query);
  const country = query.get("events") ?? ALL;
  return {
    operation: "get_macro_calendar",
    args: {
      country: country === ALL ? undefined : country,
      // Text that is no date is sent as it is, so that the service says what is wrong.
      ...(isDate(from) ? keptDatesOf(from, to, timeNow()) : { from }),
      importance: query.get("importance") ?? ALL,
      limit: MAX_LISTED,
    },
  };
}

/** The call for the reports of the days in the address, of all companies or of a list. */
export function reportsCall(query: URLSearchParams): Call<"get_earnings_calendar"> {
  const list = query.get("list");
  const tickers = list === null ? undefined : `list:${list}`;
  return {
    operation: "get_earnings_calendar",
    args: {
      ...readDays(query),
      tickers,
      country: query.get("events") === "JP" ? "JP" : undefined,
      limit: MAX_LISTED,
    },
  };
}

/** The call for the announced ex-dates of the days in the address, of all companies or of a list. */
export function dividendsCall(query: URLSearchParams): Call<"screen_stocks"> {
  const { from, to } = readDays(query);
  const country = query.get("events") ?? ALL;
  const list = query.get("list");
  const days = `next_ex_date>=${from},next_ex_date<=${to}`;
  return {
    operation: "screen_stocks",
    args: {
      country,
      where: list === null ? days : `list:${list},${days}`,
      metrics: "next_ex_date,dividend_per_share,dividend_yield",
      sort: "-market_cap",
      limit: MAX_LISTED,
      currency: country === ALL ? "USD" : undefined,
    },
    toolArgs: { limit: TOOL_ROWS },
  };
}

/** A company that reports. */
export type Report = PayloadOf<"get_earnings_calendar">["earnings"][number];

/** Reports are known of US companies only. */
export function hasReports(query: URLSearchParams): boolean {
  return query.get("events") !== "VN";
}

/** `US exchange closed: Thanksgiving Day`. */
export const holidayText = (day: Holiday): string => closureText(countryName(day.country), day);

/** The holidays of the days, of one country or all. */
export function holidaysOf(
  { countries }: PayloadOf<"get_markets">,
  query: URLSearchParams,
): Holiday[] {
  const { from, to } = eventDays(query);
  const wanted = query.get("events") ?? ALL;
  return countries
    .filter(({ code }) => wanted === ALL || code === wanted)
    .flatMap(({ code: country, exchange, upcoming_holidays: closed, upcoming_half_days: half }) => {
      const shared = { country, timeZone: exchange.time_zone };
      return [
        ...closed.map(({ date, name }) => ({ ...shared, date, name, closesAt: null })),
        ...half.map(({ date, name, closes_at: closesAt }) => ({ ...shared, date, name, closesAt })),
      ];
    })
    .filter(({ date }) => date >= from && date <= to)
    .sort((a, b) => a.date.localeCompare(b.date));
}

/** The answers of the kinds that are shown. */
export interface CalendarAnswers {
  readonly releases: Resource<AnswerOf<"get_macro_calendar">>;
  readonly earnings: Resource<AnswerOf<"get_earnings_calendar">>;
  readonly dividends: Resource<AnswerOf<"screen_stocks">>;
  /** Always loaded: an early close is also when reports after the close begin. */
  readonly holidays: Resource<AnswerOf<"get_markets">>;
  readonly payments: PaymentsAnswer;
}

/** How many pages of {@link MAX_LISTED} the address asks for. */
export const readPages = (query: URLSearchParams): number =>
  Math.max(1, Math.trunc(Number(query.get("pages"))) || 1);

/** Loads what the calendar shows. */
export function useCalendar(query: URLSearchParams): CalendarAnswers {
  const kinds = shownKinds(query);
  const pages = readPages(query);
  const { from } = readDays(query);
  const country = query.get("events") ?? ALL;
  return {
    releases: usePages(
      kinds.includes("releases") ? eventsCall(query) : null,
      pages,
      (before, after) => ({ ...after, events: [...before.events, ...after.events] }),
    ),
    earnings: usePages(
      kinds.includes("earnings") && hasReports(query) ? reportsCall(query) : null,
      pages,
      (before, after) => ({ ...after, earnings: [...before.earnings, ...after.earnings] }),
    ),
    dividends: usePages(
      kinds.includes("dividends") ? dividendsCall(query) : null,
      pages,
      (before, after) => ({ ...after, rows: [...before.rows, ...after.rows] }),
    ),
    holidays: useData(MARKETS),
    payments: usePayments(
      isDate(from) && (kinds.includes("dividends") || kinds.includes("splits"))
        ? query.get("list")
        : null,
      country === ALL ? null : country,
      from,
    ),
  };
}

/**
 * Loads that number of pages of a call, one after the other, each once; null loads nothing. There is no value of
 * another call. If a later page fails, those before it stay.
 */
function usePages<Name extends OperationName>(
  call: Call<Name> | null,
  pages: number,
  join: (before: PayloadOf<Name>, after: PayloadOf<Name>) => PayloadOf<Name>,
): Resource<AnswerOf<Name>> {
  const question = call && `${call.operation}?${queryOf(call.args)}`;
  const key = question && dataKey(`${question} ${pages}`);
  // What is shown when more is asked for.
  const shown = useRef<Paged<Name> | null>(null);
  const loaded = useResource(
    key,
    call &&
      (async (): Promise<Paged<Name>> => {
        const before = shown.current;
        const isMore = before?.question === question && before.pages < pages;
        let answer: AnswerOf<Name> = isMore ? before : await callOperation(call);
        let page = isMore ? before.pages : 1;
        for (; page < pages; page++) {
          const cursor = cursorOf(answer.data);
          if (cursor === null) break;
          const next = await callOperation({ ...call, args: { ...call.args, cursor } }).catch(
            sayFailure,
          );
          if (next === null) break;
          answer = { ...next, data: join(answer.data, next.data) };
        }
        return { ...answer, question, pages: page };
      }),
  );
  shown.current = loaded.value;
  // With another number of pages it is the same question.
  return loaded.value?.question === question ? loaded : { ...loaded, value: null };
}

/** Pages of an answer. */
type Paged<Name extends OperationName> = AnswerOf<Name> & {
  /** The call, as text. */
  readonly question: string | null;
  readonly pages: number;
};

/** Says why there is no next page. @throws ApiError without a connection: the page is asked for again */
function sayFailure(thrown: unknown): null {
  const error = asApiError(thrown);
  if (error.isOutage) throw error;
  showToast({ text: translate(error.message) });
  return null;
}

/** What the next page is asked with; null on the last page. */
export function cursorOf(data: object): string | null {
  const cursor: unknown = Reflect.get(data, "next_cursor");
  return typeof cursor === "string" ? cursor : null;
}
