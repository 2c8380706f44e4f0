import { formatList } from "#console/app/format.ts";
import { place, setQuery } from "#console/app/router.ts";
import { t, translate } from "#console/app/words.ts";
import type { Reason } from "#domain/reasons.ts";
import { countryName } from "#console/app/parts/country.tsx";
import { useVocabulary } from "#console/app/parts/metrics.tsx";
import { type Reasoned, reasonOf } from "#console/app/parts/reasons.ts";
import {
  ALL,
  type CalendarAnswers,
  COMPANY_KINDS,
  cursorOf,
  type Kind,
  readPages,
} from "./calls.ts";
import { MAX_ASKED } from "./payments.ts";
import { entriesOf } from "./timeline.ts";

/** What a chosen list restricts, and what of it is not in the shown days. */
export function ListNote(props: {
  readonly answers: CalendarAnswers;
  readonly kinds: readonly Kind[];
}) {
  const { answers, kinds } = props;
  const list = place.value.query.get("list");
  if (list === null) return null;
  const others = kinds.filter((kind) => !COMPANY_KINDS.includes(kind));
  const notes =
    others.length === kinds.length
      ? [t("Earnings, ex-dates and splits are off, so the list {list} changes nothing.", { list })]
      : [
          t("Earnings, ex-dates and splits are for the list {list}.", { list }),
          others.length > 0 && t("Publications and holidays stay: their buttons hide them."),
          ...absentOf(answers, kinds),
        ];
  return <p class="muted list-note">{notes.filter(Boolean).join(" ")}</p>;
}

/** Which kinds of events of the list's companies are loaded, and none is in the shown days. */
function absentOf(answers: CalendarAnswers, kinds: readonly Kind[]): string[] {
  const query = new URLSearchParams(place.value.query);
  query.delete("find");
  const present = new Set(entriesOf(answers, query, kinds).map(({ kind }) => kind));
  const isAbsent = (kind: Kind) => kinds.includes(kind) && !present.has(kind);
  const hasPayments = answers.payments.value !== null;
  const [dividends, splits] = [
    isAbsent("dividends") && hasPayments && answers.dividends.value !== null,
    isAbsent("splits") && hasPayments,
  ];
  return [
    isAbsent("earnings") &&
      answers.earnings.value !== null &&
      t("No report of the list is known in these days."),
    dividends && splits
      ? t("No split or ex-date of the list is known in these days.")
      : dividends
        ? t("No ex-date of the list is known in these days.")
        : splits && t("No split of the list is known in these days."),
  ].filter((one) => one !== false);
}

/** What the list of events lacks, why, and how to get more. */
export function Notes(props: {
  readonly answers: CalendarAnswers;
  readonly kinds: readonly Kind[];
}) {
  const { answers, kinds } = props;
  const has = (kind: Kind) => kinds.includes(kind);
  const releases = has("releases") ? answers.releases.value?.data : undefined;
  const reports = has("earnings") ? answers.earnings.value?.data : undefined;
  const dividends = has("dividends") ? answers.dividends.value?.data : undefined;
  const counts = [
    releases && { shown: releases.events.length, total: releases.summary.total },
    reports && { shown: reports.earnings.length, total: reports.total },
    dividends && { shown: dividends.rows.length, total: dividends.total },
  ];
  const [published, reported, paid] = counts.map((count) =>
    count && count.total > count.shown ? count : undefined,
  );
  const hasMore = [releases, reports, dividends].some((data) => data && cursorOf(data) !== null);
  const isLoading = [answers.releases, answers.earnings, answers.dividends].some(
    (answer) => answer.value !== null && answer.isLoading,
  );
  const { value: words } = useVocabulary();
  const notes = [
    ...unknownKinds(answers, kinds).map(
      ([name, reason]) => words && `${t(name)}: ${translate(words.reasons[reason])}`,
    ),
    published &&
      t(
        "The service lists only the first {shown} of {total}: choose a country or a higher importance.",
        published,
      ),
    reported && t("The first {shown} of {total} reports. Choose a list for fewer.", reported),
    paid && t("The first {shown} of {total} companies. Choose a list for fewer.", paid),
    reports &&
      reports.without_date.length > 0 &&
      t("Report dates of {companies} are not known.", {
        companies: formatList(reports.without_date),
      }),
    ...(has("earnings") ? reportNotes(reports?.not_covered ?? []) : []),
    (has("splits") || has("dividends")) && paymentsNote(answers),
  ].filter(Boolean);
  return (
    // The focus stays here when the button is gone.
    <div class="stack" tabIndex={-1}>
      {notes.length > 0 && <p class="muted">{notes.join(" ")}</p>}
      {hasMore && (
        <p>
          <button
            type="button"
            aria-busy={isLoading}
            onClick={() => {
              if (!isLoading) setQuery({ pages: String(readPages(place.value.query) + 1) });
            }}
          >
            {t("Show more")}
          </button>
        </p>
      )}
    </div>
  );
}

/** The kinds without a known event in these days, and why. Kinds that simply have none are left out. */
export function unknownKinds(
  { releases, earnings }: CalendarAnswers,
  kinds: readonly Kind[],
): (readonly ["Publications" | "Earnings", Reason])[] {
  const asked = [
    ["releases", "Publications", releases.value?.data, "events"],
    ["earnings", "Earnings", earnings.value?.data, "earnings"],
  ] as const;
  return asked.flatMap(([kind, name, data, list]) => {
    const reason = data && emptiedBy(data, list);
    return reason && kinds.includes(kind) ? [[name, reason] as const] : [];
  });
}

/** Why the list of an answer is empty; undefined if it is not, or if no event fits. */
function emptiedBy(
  { reasons = {} }: object & Partial<Pick<Reasoned, "reasons">>,
  list: string,
): Reason | undefined {
  const reason = reasonOf({ rows: [], reasons }, {}, list);
  return reason === "no_match" ? undefined : reason;
}

/** The countries without report dates, and where the dates of Japan are. */
function reportNotes(notCovered: readonly string[]): string[] {
  const shown = place.value.query.get("events") ?? ALL;
  const lacking = new Set([
    ...notCovered.filter((one) => !one.includes(":")),
    ...([ALL, "VN"].includes(shown) ? ["VN"] : []),
  ]);
  return [
    ...(shown === ALL
      ? [t("Reports here are of US companies. Choose Japan for its known report dates.")]
      : []),
    ...(lacking.size > 0
      ? [
          t("No source has report dates of companies of {countries}.", {
            countries: formatList([...lacking].map(countryName)),
          }),
        ]
      : []),
  ];
}

/** The companies whose past ex-dates and splits are shown. */
function paymentsNote({ payments }: CalendarAnswers): string {
  if (!place.value.query.has("list")) {
    return t("Choose a list to see splits and past ex-dates too.");
  }
  if (payments.value === null) {
    return payments.error
      ? t("The splits and past ex-dates of the list could not be loaded.")
      : t("The splits and past ex-dates of the list are being loaded.");
  }
  const { histories, total } = payments.value;
  const unknown = histories.filter(({ data }) => !data?.dividends || !data.splits);
  return [
    total > MAX_ASKED &&
      t("Splits and past ex-dates are for the first {count} of {total} companies of the list.", {
        count: MAX_ASKED,
        total,
      }),
    unknown.length > 0 &&
      t("Some splits or dividends of {symbols} are not known.", {
        symbols: formatList(unknown.map(({ company }) => company.symbol)),
      }),
  ]
    .filter(Boolean)
    .join(" ");
}
