import { timeNow } from "#console/app/clock.ts";
import { useConsole } from "#console/app/api.ts";
import { dateText, formatNumber, MISSING } from "#console/app/format.ts";
import { countryName } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { recordWords } from "#console/app/parts/record-words.ts";
import { Ago, Until } from "#console/app/parts/time.tsx";
import { asIs, t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

type Source = AnswerTo<"GET sources">[number];

/** The live sources: what their figures say of them, what to do, and what was fetched of each. */
export function SourcesPanel() {
  const sources = useConsole("GET sources");
  return (
    <Panel title="Sources">
      <Loaded of={sources} lines={8}>
        {(list) =>
          list.length === 0 ? (
            <Empty>
              {t("The sample market has no sources.")}{" "}
              <a href="/console/about#live">{t("How to go live")}</a>
            </Empty>
          ) : (
            <>
              <DataTable
                label="All sources"
                columns={COLUMNS}
                rows={list}
                keyOf={({ source }) => source}
              />
              <h3>{t("Hours without answers, by day (UTC)")}</h3>
              <p class="muted">{t("The newest 20 outages of a source are remembered.")}</p>
              <DataTable
                label="Hours without answers"
                columns={outageColumns()}
                rows={list.filter(({ lastSuccessAt, outages }) => lastSuccessAt ?? outages[0])}
                keyOf={({ source }) => source}
              />
              {list.map((source) => (
                <Kinds key={source.source} source={source} />
              ))}
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

const COLUMNS: readonly Column<Source>[] = [
  {
    title: "Source",
    cell: ({ source, official }) => (
      <>
        <b>{source}</b>
        {!official && <span class="muted"> {t("unofficial")}</span>}
      </>
    ),
    sortBy: ({ source }) => source,
  },
  {
    title: "State",
    cell: (source) => <State source={source} />,
    sortBy: stateText,
  },
  {
    title: "What to do",
    cell: ({ advice }) => (advice.length === 0 ? MISSING : advice.join(". ")),
  },
  {
    title: "Next attempt",
    cell: (source) => {
      const at = nextAttempt(source);
      return at === null ? MISSING : <Until at={at} />;
    },
    sortBy: nextAttempt,
  },
  {
    title: "Last success",
    cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? MISSING : <Ago at={lastSuccessAt} />),
    sortBy: ({ lastSuccessAt }) => lastSuccessAt,
  },
  {
    title: "Records",
    cell: (source) => formatNumber(recordsOf(source), 0),
    sortBy: recordsOf,
    isNumber: true,
  },
];

/** The records that the last successful fetches gave. */
function recordsOf({ kinds }: Source): number {
  return kinds.reduce((sum, { records }) => sum + records, 0);
}

/** When it is called next, UTC milliseconds; null if it is not known. */
function nextAttempt({ kinds, blockedUntil }: Source): number | null {
  const times = kinds.flatMap(({ nextDueAt }) => nextDueAt ?? []);
  return times.length === 0 ? null : Math.max(Math.min(...times), blockedUntil ?? 0);
}

const VERDICTS = {
  works: "Works",
  partly: "Works in part",
  refused: "Refuses or fails",
  empty: "Answers without figures",
} as const;

/** What its figures say; before the first call, whether it can be called: `needs BOURSE_CONTACT`. */
function stateText({ state, verdict }: Source): string {
  if (!state.startsWith("ready")) return state;
  return t(verdict === null ? "Not called yet" : VERDICTS[verdict]);
}

/** The state in words; a source that does not work is marked. */
function State({ source }: { readonly source: Source }) {
  const { verdict, state } = source;
  const isReady = state.startsWith("ready") && verdict !== null;
  const mark = verdict === "works" ? "gain" : verdict === "refused" ? "loss" : "";
  return <span class={isReady ? mark : "muted"}>{stateText(source)}</span>;
}

const KIND_COLUMNS: readonly Column<Source["kinds"][number]>[] = [
  {
    title: "Kind",
    cell: ({ kind }) => recordWords(kind),
    sortBy: ({ kind }) => recordWords(kind),
  },
  {
    title: "Country",
    cell: ({ country }) => countryName(country),
    sortBy: ({ country }) => countryName(country),
  },
  {
    title: "Companies",
    cell: ({ companies }) => (companies === null ? t("all at once") : formatNumber(companies, 0)),
    sortBy: ({ companies }) => companies,
    isNumber: true,
  },
  {
    title: "Records",
    cell: ({ records }) => formatNumber(records, 0),
    sortBy: ({ records }) => records,
    isNumber: true,
  },
  {
    title: "Failed",
    cell: ({ failed, error }) => (
      <span title={error ?? ""} class={failed > 0 ? "loss" : ""}>
        {formatNumber(failed, 0)}
      </span>
    ),
    sortBy: ({ failed }) => failed,
    isNumber: true,
  },
  {
    title: "Last success",
    cell: ({ succeededAt }) => (succeededAt === null ? MISSING : <Ago at={succeededAt} />),
    sortBy: ({ succeededAt }) => succeededAt,
  },
  {
    title: "Next due",
    cell: ({ nextDueAt }) => (nextDueAt === null ? MISSING : <Until at={nextDueAt} />),
    sortBy: ({ nextDueAt }) => nextDueAt,
  },
  {
    title: "Error of the last failure",
    cell: ({ error }) => error ?? MISSING,
    isExtra: true,
  },
];

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
const DAYS = 14;
/** An outage of this length has the strongest shade. */
const LONG_MS = 6 * HOUR_MS;

/** How long the outages of a source were on a day that ends at `end`, UTC milliseconds. */
function outageOn({ outages }: Source, end: number): number {
  return outages.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(to, end) - Math.max(from, end - DAY_MS)),
    0,
  );
}

/** A column for each of the last days, today at the right. */
function outageColumns(): readonly Column<Source>[] {
  const tomorrow = Math.floor(timeNow() / DAY_MS) + 1;
  const days = Array.from({ length: DAYS }, (_, i): Column<Source> => {
    const end = (tomorrow - (DAYS - 1 - i)) * DAY_MS;
    return {
      title: asIs(dateText(end - DAY_MS, { timeZone: "UTC", day: "numeric", month: "short" })),
      isNumber: true,
      cell: (source) => {
        const ms = outageOn(source, end);
        return ms === 0 ? "·" : formatNumber(Math.max(0.1, ms / HOUR_MS), 1);
      },
      shadeOf: (source) => -outageOn(source, end) / LONG_MS,
    };
  });
  return [{ title: "Source", cell: ({ source }) => source }, ...days];
}

/** What was fetched from a source. */
function Kinds({ source }: { readonly source: Source }) {
  const failed = source.kinds.reduce((sum, one) => sum + one.failed, 0);
  if (source.kinds.length === 0) return null;
  return (
    <details>
      <summary>
        {source.source}: {t("kinds of records: {count}", { count: source.kinds.length })}
        {failed > 0 && (
          <span class="loss">, {t("{count} failed", { count: formatNumber(failed, 0) })}</span>
        )}
      </summary>
      <p class="muted">{source.fills}</p>
      <DataTable
        label={t("Records of {source}", { source: source.source })}
        columns={KIND_COLUMNS}
        rows={source.kinds}
        keyOf={({ kind, country }) => `${kind} ${country}`}
      />
    </details>
  );
}
