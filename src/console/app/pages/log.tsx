import { useConsole } from "#console/app/api.ts";
import { formatInstant, formatNumber, MISSING } from "#console/app/format.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { Ago } from "#console/app/parts/time.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

type Calls = AnswerTo<"GET calls">["calls"];
type Tokens = AnswerTo<"GET tokens">;

const VIEWS = { all: "All calls", errors: "Errors" } as const;
/** The interfaces, as people name them. */
const DOORS: Readonly<Record<string, string>> = { rest: "REST", mcp: "MCP", feed: "feed" };

/** Call log: the newest calls with the user's tokens, to see whether a program works. */
export default function LogPage() {
  const log = useConsole("GET calls");
  const tokens = useConsole("GET tokens");
  const { query } = place.value;
  const token = query.get("token");
  const view = query.get("view") === "errors" ? "errors" : "all";
  // The labels of tokens would come later than the calls.
  const isReady = tokens.value !== null;
  return (
    <>
      <PageTitle title={t("Call log")} />
      <Panel
        title="Your newest calls"
        actions={
          <>
            <Tabs
              label="View"
              tabs={["all", "errors"]}
              current={view}
              textOf={(one) => VIEWS[one]}
              onChange={(one) => setQuery({ view: one === "all" ? null : one })}
            />
            <TokenChoice tokens={tokens.value ?? []} current={token} />
            <button type="button" onClick={log.reload}>
              {t("Load again")}
            </button>
          </>
        }
      >
        <Loaded of={isReady ? log : { ...log, value: null }} lines={12}>
          {({ since, calls }) => (
            <>
              <p class="muted">
                {t(
                  "Up to 1,000 calls that this server has answered since {time}. Of the arguments, only symbols and country are kept.",
                  { time: formatInstant(since) },
                )}
              </p>
              <CallTable
                tokens={tokens.value ?? []}
                calls={calls.filter(
                  ({ tokenId, status }) =>
                    (token === null || String(tokenId) === token) &&
                    (view === "all" || status >= 400),
                )}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}

function TokenChoice(props: { readonly tokens: Tokens; readonly current: string | null }) {
  return (
    <select
      aria-label={t("Token")}
      value={props.current ?? ""}
      onChange={(event) => setQuery({ token: event.currentTarget.value || null })}
    >
      <option value="">{t("All tokens")}</option>
      {props.tokens.map(({ id, label, prefix }) => (
        <option key={id} value={id}>
          {label || prefix}
        </option>
      ))}
    </select>
  );
}

function CallTable({ tokens, calls }: { readonly tokens: Tokens; readonly calls: Calls }) {
  if (calls.length === 0) {
    return (
      <Empty>
        {t("No call is in the log. Make a call with a token: it appears here when you load again.")}
      </Empty>
    );
  }
  const labels = new Map(tokens.map(({ id, label, prefix }) => [id, label || prefix]));
  const columns: Column<Calls[number]>[] = [
    { title: "Time", cell: ({ at }) => <Ago at={at} /> },
    { title: "Operation", cell: ({ operation }) => <code>{operation || MISSING}</code> },
    { title: "Subject", cell: ({ subject }) => subject || MISSING },
    { title: "Interface", cell: ({ via }) => DOORS[via] ?? via },
    { title: "Token", cell: ({ tokenId }) => labels.get(tokenId) ?? MISSING, isExtra: true },
    {
      title: "Status",
      isNumber: true,
      cell: ({ status }) => <span class={status >= 400 ? "loss" : ""}>{status}</span>,
    },
    { title: "Milliseconds", isNumber: true, cell: ({ ms }) => formatNumber(ms, 1) },
  ];
  return (
    <DataTable label="Calls" columns={columns} rows={calls} keyOf={(call) => calls.indexOf(call)} />
  );
}
