import { useConsole } from "#console/app/api.ts";
import { formatNumber, MISSING } from "#console/app/format.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Ago, Until } from "#console/app/parts/time.tsx";
import type { AnswerTo } from "#http/console-api.ts";

type Source = AnswerTo<"GET sources">[number];

/** The live sources: state, last success and error, breaker, and what was fetched of each. */
export function SourcesPanel() {
  const sources = useConsole("GET sources");
  return (
    <Panel title="Sources">
      <Loaded of={sources} lines={8}>
        {(list) =>
          list.length === 0 ? (
            <Empty>
              The sample market has no sources. <a href="/console/about#live">How to go live</a>
            </Empty>
          ) : (
            <>
              <DataTable
                label="All sources"
                columns={COLUMNS}
                rows={list}
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
        {!official && <span class="muted"> unofficial</span>}
      </>
    ),
    sortBy: ({ source }) => source,
  },
  {
    title: "State",
    cell: (source) => <State source={source} />,
    sortBy: ({ state }) => state,
  },
  {
    title: "Last success",
    cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? MISSING : <Ago at={lastSuccessAt} />),
    sortBy: ({ lastSuccessAt }) => lastSuccessAt,
  },
  {
    title: "Last error",
    cell: ({ lastErrorAt, lastError }) =>
      lastErrorAt === null ? (
        MISSING
      ) : (
        <>
          <Ago at={lastErrorAt} />: {lastError}
        </>
      ),
    sortBy: ({ lastErrorAt }) => lastErrorAt,
    isExtra: true,
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

/** The state in words; a source that is paused or not ready is marked. */
function State({ source: { state, blockedUntil } }: { readonly source: Source }) {
  if (blockedUntil !== null && blockedUntil > Date.now()) {
    return (
      <span class="loss">
        paused after errors, retried <Until at={blockedUntil} />
      </span>
    );
  }
  return <span class={state.startsWith("ready") ? "gain" : "muted"}>{state}</span>;
}

const KIND_COLUMNS: readonly Column<Source["kinds"][number]>[] = [
  { title: "Kind", cell: ({ kind }) => kind, sortBy: ({ kind }) => kind },
  { title: "Country", cell: ({ country }) => country, sortBy: ({ country }) => country },
  {
    title: "Companies",
    cell: ({ companies }) => (companies === null ? "all at once" : formatNumber(companies, 0)),
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

/** What was fetched from a source. */
function Kinds({ source }: { readonly source: Source }) {
  const failed = source.kinds.reduce((sum, one) => sum + one.failed, 0);
  if (source.kinds.length === 0) return null;
  return (
    <details>
      <summary>
        {source.source}: {source.kinds.length} kinds of records
        {failed > 0 && <span class="loss">, {formatNumber(failed, 0)} failed</span>}
      </summary>
      <p class="muted">{source.fills}</p>
      <DataTable
        label={`Records of ${source.source}`}
        columns={KIND_COLUMNS}
        rows={source.kinds}
        keyOf={({ kind, country }) => `${kind} ${country}`}
      />
    </details>
  );
}
