import { nameInLanguage } from "#console/app/company-names.tsx";
import { dateOf } from "#console/app/days.ts";
import {
  codeOfEvent,
  instantOf,
  type MacroEvent,
  titleOfEvent,
} from "#console/app/parts/events.tsx";
import { type Row, rowsOf, numberIn, textIn } from "#console/app/parts/rows.ts";
import { hasWords, namesOfCountry } from "#console/app/parts/search-words.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import {
  ALL,
  type CalendarAnswers,
  eventDays,
  holidaysOf,
  holidayText,
  type Kind,
  readDays,
  type Report,
} from "./calls.ts";
import { type Holiday, instantIn } from "./holidays.ts";
import { inOrder, instantOfReport, type Placed } from "./order.ts";

/** A company with its name in the data. */
export type Company = Subject & { readonly name: string };

/** What happens, by its kind. */
type Happening =
  | { readonly kind: "releases"; readonly event: MacroEvent }
  | { readonly kind: "earnings"; readonly company: Company; readonly report: Report }
  | {
      readonly kind: "dividends";
      readonly company: Company;
      /** Per share, with its currency; null if it is not known yet. */
      readonly amount: number | null;
      readonly currency: string;
      /** What a screen knows of the company; null for a past ex-date. */
      readonly row: Row | null;
    }
  | { readonly kind: "splits"; readonly company: Company; readonly ratio: string }
  | { readonly kind: "holidays"; readonly day: Holiday };

/** An entry of the calendar. */
export type Entry = Happening & Placed;

/** The entries of these kinds in the days, countries and words of the address. */
export function entriesOf(
  answers: CalendarAnswers,
  query: URLSearchParams,
  kinds: readonly Kind[],
): Entry[] {
  const { from, to } = eventDays(query);
  const find = query.get("find") ?? "";
  const closed = answers.holidays.value ? holidaysOf(answers.holidays.value.data, query) : [];
  const all = [
    ...(answers.releases.value?.data.events ?? []).map(releaseEntry),
    ...(answers.earnings.value?.data.earnings ?? []).map((report) => reportEntry(report, closed)),
    ...paymentEntries(answers, query),
    ...closed.map(holidayEntry),
  ];
  return inOrder(
    all.filter(
      (entry) =>
        kinds.includes(entry.kind) &&
        entry.date >= from &&
        entry.date <= to &&
        (find === "" || hasWords(textOf(entry), find)),
    ),
  );
}

function releaseEntry(event: MacroEvent): Entry {
  const at = instantOf(event);
  return { kind: "releases", event, date: dateOf(at), at };
}

function reportEntry(report: Report, closed: readonly Holiday[]): Entry {
  const { date, symbol, name } = report;
  // A company of Japan is written JP:7203.
  const [code = symbol, country = "US"] = symbol.split(":").toReversed();
  const company = { country, symbol: code, name };
  const at = instantOfReport(report, closed);
  return { kind: "earnings", company, report, date, at };
}

function holidayEntry(day: Holiday): Entry {
  const { date, closesAt, timeZone } = day;
  const at = closesAt === null ? null : instantIn(timeZone, date, closesAt);
  return { kind: "holidays", day, date, at };
}

/** The announced ex-dates of all companies, and the ex-dates and splits of a list's companies. */
function paymentEntries(answers: CalendarAnswers, query: URLSearchParams): Entry[] {
  const days = readDays(query);
  const isWithin = ({ date }: Entry) => date >= days.from && date <= days.to;
  const histories = answers.payments.value?.histories ?? [];
  const known = histories.flatMap(({ company, data }): Entry[] => {
    if (data === null) return [];
    const { name, currency, dividends, splits } = data;
    const shared = { company: { ...company, name }, at: null };
    return [
      ...(dividends ? rowsOf(dividends) : []).map((row): Entry => {
        const [date, amount] = [textIn(row, "ex_date"), numberIn(row, "amount")];
        return { ...shared, kind: "dividends", date, amount, currency, row: null };
      }),
      ...(splits ? rowsOf(splits) : []).map((row): Entry => {
        const ratio = `${row["numerator"]}:${row["denominator"]}`;
        return { ...shared, kind: "splits", date: textIn(row, "ex_date"), ratio };
      }),
    ].filter(isWithin);
  });
  const rows = answers.dividends.value ? rowsOf(answers.dividends.value.data) : [];
  const wanted = query.get("events") ?? ALL;
  const announced = rows.map((row): Entry => {
    const country = textIn(row, "country") || wanted;
    const company = { country, symbol: textIn(row, "symbol"), name: textIn(row, "name") };
    const date = textIn(row, "next_ex_date");
    const currency = answers.dividends.value?.data.currency ?? "";
    return { kind: "dividends", company, date, at: null, amount: null, currency, row };
  });
  // An announced ex-date that is in the history has its amount there.
  const keys = new Set(known.map(keyOf));
  return [...known, ...announced.filter((entry) => !keys.has(keyOf(entry)))];
}

/** The same for the same entry. */
export function keyOf(entry: Entry): string {
  if (entry.kind === "releases") return entry.event.id;
  const what = entry.kind === "holidays" ? entry.day.country : pathOf(entry.company);
  return `${entry.kind} ${entry.date} ${what}`;
}

const pathOf = ({ country, symbol }: Subject) => `${country}:${symbol}`;

/** What a search finds an entry by. */
function textOf(entry: Entry): string {
  if (entry.kind === "releases") {
    const { event } = entry;
    return `${event.event} ${titleOfEvent(event)} ${namesOfCountry(codeOfEvent(event))}`;
  }
  if (entry.kind === "holidays") {
    return `${holidayText(entry.day)} ${entry.day.name} ${namesOfCountry(entry.day.country)}`;
  }
  const { country, symbol, name } = entry.company;
  return `${symbol} ${name} ${nameInLanguage(entry.company, name)} ${namesOfCountry(country)}`;
}
