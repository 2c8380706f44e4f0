import { addDays, today, WEEK_DAYS } from "#console/app/days.ts";
import { formatDay, formatTime } from "#console/app/format.ts";
import { symbolPath } from "#console/app/parts/country.tsx";
import {
  countryOfEvent,
  Importance,
  instantOf,
  type MacroEvent,
  titleOfEvent,
} from "#console/app/parts/events.tsx";
import { zoneInText } from "#console/app/zone-names.ts";
import { place } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import { type CalendarAnswers, holidayText, isDate, type Kind, readDays } from "./calls.ts";
import { type Company, entriesOf, type Entry } from "./timeline.ts";

/** The companies of a day before the rest is a number. */
const COMPANIES = 8;

/** The events of seven days, a column for each. */
export function Week(props: {
  readonly answers: CalendarAnswers;
  readonly kinds: readonly Kind[];
}) {
  const { query } = place.value;
  const { from } = readDays(query);
  const entries = Map.groupBy(entriesOf(props.answers, query, props.kinds), ({ date }) => date);
  const days = isDate(from) ? Array.from({ length: WEEK_DAYS }, (_, i) => addDays(from, i)) : [];
  return (
    <>
      <div class="week">
        {days.map((date) => (
          <Day key={date} date={date} entries={entries.get(date) ?? []} />
        ))}
      </div>
      <p class="muted">
        {t("Times are in {zone}. For figures, choose List.", { zone: zoneInText() })}
      </p>
    </>
  );
}

const marketCapOf = (entry: Entry) =>
  entry.kind === "earnings" ? (entry.report.market_cap ?? 0) : 0;

function Day(props: { readonly date: string; readonly entries: readonly Entry[] }) {
  const { date, entries } = props;
  const companies = (kind: Kind) =>
    entries
      .flatMap((entry) => ("company" in entry && entry.kind === kind ? entry : []))
      .toSorted((a, b) => marketCapOf(b) - marketCapOf(a))
      .map(({ company }) => company);
  return (
    <section class="week-day" aria-label={formatDay(date)}>
      <h3 class={date === today() ? "today" : ""}>{formatDay(date)}</h3>
      {entries.map(
        (entry) =>
          entry.kind === "holidays" && (
            <p key={entry.day.country} class="holiday">
              {holidayText(entry.day)}
            </p>
          ),
      )}
      <Releases
        events={entries.flatMap((entry) => (entry.kind === "releases" ? entry.event : []))}
      />
      <Companies title={t("Earnings")} companies={companies("earnings")} />
      <Companies title={t("Ex-dividend")} companies={companies("dividends")} />
      <Companies title={t("Split")} companies={companies("splits")} />
    </section>
  );
}

function Releases({ events }: { readonly events: readonly MacroEvent[] }) {
  return (
    <ul>
      {events.map((event) => (
        <li key={event.id} class={event.importance}>
          <time dateTime={`${event.date}T${event.time}Z`}>{formatTime(instantOf(event))}</time>{" "}
          <Importance of={event.importance} /> <span class="muted">{countryOfEvent(event)}</span>{" "}
          {titleOfEvent(event)}
        </li>
      ))}
    </ul>
  );
}

/** The largest companies of a day, then the number of the others. */
function Companies(props: { readonly title: string; readonly companies: readonly Company[] }) {
  const { title, companies } = props;
  if (companies.length === 0) return null;
  const rest = companies.length - COMPANIES;
  return (
    <p>
      <span class="muted">{title}</span>{" "}
      {companies.slice(0, COMPANIES).map(({ country, symbol, name }) => (
        <span key={`${country}:${symbol}`}>
          <a href={symbolPath(country, symbol)} title={name}>
            {symbol}
          </a>{" "}
        </span>
      ))}
      {rest > 0 && <span class="muted">{t("and {count} more", { count: rest })}</span>}
    </p>
  );
}
