import { timeNow } from "#console/app/clock.ts";
import { type Sentence, t } from "#console/app/words.ts";
import { dateOf, oldestDate } from "#console/app/days.ts";
import {
  dateText,
  formatDay,
  formatPercent,
  formatPlainPercent,
  currencyUnit,
  formatPerShare,
  formatShort,
  formatTime,
  MISSING,
} from "#console/app/format.ts";
import { CompanyName } from "#console/app/company-names.tsx";
import { countryName, symbolPath } from "#console/app/parts/country.tsx";
import {
  countryOfEvent,
  eventFigure,
  Importance,
  instantOf,
  type MacroEvent,
  titleOfEvent,
} from "#console/app/parts/events.tsx";
import { Empty } from "#console/app/parts/panel.tsx";
import { numberIn } from "#console/app/parts/rows.ts";
import { zoneInText } from "#console/app/zone-names.ts";
import { addressDay, place } from "#console/app/router.ts";
import { type CalendarAnswers, eventDays, holidayText, isDate, type Kind } from "./calls.ts";
import { unknownKinds } from "./notes.tsx";
import { type Company, entriesOf, type Entry, keyOf } from "./timeline.ts";

/** The events by day, in the order of their times, each with its figures. */
export function EntriesList(props: {
  readonly answers: CalendarAnswers;
  readonly kinds: readonly Kind[];
  /** False if a kind of events could not be loaded: there may be others. */
  readonly isWhole: boolean;
}) {
  const { answers, kinds } = props;
  const isWhole = props.isWhole && unknownKinds(answers, kinds).length === 0;
  const { query } = place.value;
  const { from, to } = eventDays(query);
  // The service says what is wrong with it.
  if (!isDate(from)) return null;
  const find = query.get("find") ?? "";
  const oldest = oldestDate(timeNow());
  const period = { from: formatDay(from), to: formatDay(to) };
  const entries = entriesOf(answers, query, kinds);
  return (
    <>
      {entries.length > 0 ? (
        <EntryTable entries={entries} />
      ) : (
        isWhole && (
          <Empty>
            {find === ""
              ? t(
                  "No event from {from} to {to}. Choose other days, countries or importance.",
                  period,
                )
              : t(
                  "No event with “{find}” from {from} to {to}. Choose other days, countries or importance.",
                  { ...period, find },
                )}
          </Empty>
        )
      )}
      <p class="muted">
        {isWhole &&
          `${t("{count} events from {from} to {to}.", { ...period, count: entries.length })} `}
        {find !== "" &&
          kinds.some((kind) => kind !== "releases" && kind !== "holidays") &&
          `${t("Events of companies cover only the seven days.")} `}
        {kinds.includes("releases") &&
          addressDay === null &&
          from < oldest &&
          `${t("Publications before {date} are not kept.", { date: formatDay(oldest) })} `}
        {t(
          "Times are in {zone}, and a time on another day has its weekday. Publications are on the day of that zone, other events on the day of the exchange.",
          {
            zone: zoneInText(),
          },
        )}
      </p>
    </>
  );
}

/** The figures of a publication: columns, on a phone a line below its title. */
const FIGURES = [
  ["Published", "actual"],
  ["Forecast", "forecast"],
  ["Consensus", "consensus"],
  ["Previous", "previous"],
] as const;

/** The columns before the figures; those that a phone leaves out are in lines below the title. */
const COLUMNS = [
  ["Your time", ""],
  ["Country", "extra"],
  ["Kind", "extra"],
  ["Importance", "extra"],
  ["Event", ""],
] as const;

function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  const days = Map.groupBy(entries, ({ date }) => date);
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={t("Events")}>
      <table class="groups">
        <thead>
          <tr>
            {COLUMNS.map(([title, name]) => (
              <th key={title} scope="col" class={name}>
                {title === "Importance" ? <span class="head-of-dots">{t(title)}</span> : t(title)}
              </th>
            ))}
            {FIGURES.map(([title]) => (
              <th key={title} scope="col" class="number extra">
                {t(title)}
              </th>
            ))}
          </tr>
        </thead>
        {[...days].map(([date, ofDay]) => (
          <tbody key={date}>
            <tr>
              <th colSpan={COLUMNS.length + FIGURES.length} scope="rowgroup" class="group">
                {formatDay(date)}
              </th>
            </tr>
            {ofDay.map((entry) => (
              // A company may have two dividends on a day.
              <EntryRow
                key={`${keyOf(entry)} ${entry.kind === "dividends" ? entry.amount : ""}`}
                entry={entry}
              />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** The words of a kind in a row. */
function kindText(entry: Entry): string {
  if (entry.kind === "holidays") return t(entry.at === null ? "Market closed" : "Early close");
  return t(
    (
      {
        releases: "Publication",
        earnings: "Earnings",
        dividends: "Ex-dividend",
        splits: "Split",
      } as const
    )[entry.kind],
  );
}

function countryOf(entry: Entry): string {
  if (entry.kind === "releases") return countryOfEvent(entry.event);
  return countryName(entry.kind === "holidays" ? entry.day.country : entry.company.country);
}

/** Its time, what it is, and its figures: columns on a wide screen, lines on a phone. */
function EntryRow({ entry }: { readonly entry: Entry }) {
  const { kind } = entry;
  const [kindName, country] = [kindText(entry), countryOf(entry)];
  const event = kind === "releases" ? entry.event : null;
  const figures = figuresOf(entry);
  return (
    <tr class={event ? `${kind} ${event.importance}` : kind}>
      <td class="own-time">
        <OwnTime entry={entry} />
      </td>
      <td class="extra">{country}</td>
      <td class="extra kind">{kindName}</td>
      <td class="extra">{event && <Importance of={event.importance} />}</td>
      <td class="event" colSpan={kind === "holidays" ? 1 + FIGURES.length : 1}>
        <Title entry={entry} />
        <span class="narrow-only muted figures-below">
          {event && (
            <>
              <Importance of={event.importance} />{" "}
            </>
          )}
          {kindName} · {country}
        </span>
        <span class="narrow-only muted figures-below">{figures.join(" · ")}</span>
      </td>
      {event && <ReleaseFigures event={event} />}
      {"company" in entry && (
        <td colSpan={FIGURES.length} class="extra figures-joined">
          {figures.join(" · ")}
        </td>
      )}
    </tr>
  );
}

function Title({ entry }: { readonly entry: Entry }) {
  if (entry.kind === "releases") return <>{titleOfEvent(entry.event)}</>;
  if (entry.kind === "holidays") return <span class="holiday">{holidayText(entry.day)}</span>;
  return <CompanyLink company={entry.company} />;
}

function CompanyLink({ company }: { readonly company: Company }) {
  const { country, symbol, name } = company;
  return (
    <a href={symbolPath(country, symbol)}>
      <b>{symbol}</b> <CompanyName row={{ country, symbol, name }} class="" />
    </a>
  );
}

/** The weekday of a time on another day than its group. @param date `2026-11-25` */
const weekdayOf = (date: string) =>
  dateText(Date.parse(date), { timeZone: "UTC", weekday: "short" });

/** The reader's time of an entry. Nothing for a kind without a time of day. */
function OwnTime({ entry }: { readonly entry: Entry }) {
  const { at, date } = entry;
  if (entry.kind === "releases") {
    const { event } = entry;
    return <time dateTime={`${event.date}T${event.time}Z`}>{formatTime(instantOf(event))}</time>;
  }
  if (at === null) return entry.kind === "earnings" ? <span class="muted">{MISSING}</span> : null;
  const time = formatTime(at) + (dateOf(at) === date ? "" : ` ${weekdayOf(dateOf(at))}`);
  if (entry.kind !== "earnings") return <>{time}</>;
  return (
    <>
      {entry.report.session === "before_market_open"
        ? t("before {time}", { time })
        : t("after {time}", { time })}
    </>
  );
}

function ReleaseFigures({ event }: { readonly event: MacroEvent }) {
  return (
    <>
      {FIGURES.map(([title, name]) => (
        <td key={title} class="number extra">
          {event[name] === null ? (
            <span class="muted">{MISSING}</span>
          ) : (
            eventFigure(event[name], event)
          )}
        </td>
      ))}
    </>
  );
}

/** The known figures with their names: `EPS estimate 1.43 USD`. */
function figuresOf(entry: Entry): string[] {
  const named = (label: Sentence, figure: string) =>
    figure.startsWith(MISSING) ? [] : [`${t(label)} ${figure}`];
  const price = (value: number | null | undefined, currency: string) =>
    formatPerShare(value, currency) + currencyUnit(currency);
  switch (entry.kind) {
    case "releases":
      return FIGURES.flatMap(([title, name]) =>
        named(title, eventFigure(entry.event[name], entry.event)),
      );
    case "earnings": {
      const { report } = entry;
      return [
        ...named("EPS", price(report.eps_actual, "USD")),
        ...named("EPS estimate", price(report.eps_estimate, "USD")),
        ...named("Surprise", formatPercent(report.surprise_percent)),
        ...named("Market cap", formatShort(report.market_cap) + currencyUnit("USD")),
      ];
    }
    case "dividends": {
      const { amount, currency, row } = entry;
      return [
        ...named("Dividend", price(amount, currency)),
        ...(row === null
          ? []
          : [
              ...named(
                "Dividends of 12 months",
                price(numberIn(row, "dividend_per_share"), currency),
              ),
              ...named("Dividend yield", formatPlainPercent(numberIn(row, "dividend_yield"))),
            ]),
      ];
    }
    case "splits":
      return [entry.ratio];
    case "holidays":
      return [];
  }
}
