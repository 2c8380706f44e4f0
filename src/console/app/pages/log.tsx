import { queryOf, useConsole } from "#console/app/api.ts";
import { formatDate, formatInstant, formatNumber, MISSING } from "#console/app/format.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { usePoll } from "#console/app/parts/poll.ts";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { Ago } from "#console/app/parts/time.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

type Calls = AnswerTo<"GET calls">["calls"];
type Tokens = AnswerTo<"GET tokens">;
type Refusals = AnswerTo<"GET refusals">;

const VIEWS = { all: "All calls", errors: "Errors" } as const;
/** The interfaces, as people name them. */
const DOORS: Readonly<Record<string, string>> = { rest: "REST", mcp: "MCP", feed: "feed" };

/** How often refused calls are loaded again. */
const POLL_MS = 3_000;

/** Call log: the newest calls with the user's tokens, and the refused ones of 30 days with their reasons. */
export default function LogPage() {
  const tokens = useConsole("GET tokens");
  return (
    <>
      <PageTitle title={t("Call log")} />
      {place.value.query.get("view") === "errors" ? (
        <RefusedPanel tokens={tokens.value} />
      ) : (
        <NewestPanel tokens={tokens.value} />
      )}
    </>
  );
}

/** `tokens` is null until they are there: their labels would come later than the calls. */
interface OfTokens {
  readonly tokens: Tokens | null;
}

function NewestPanel({ tokens }: OfTokens) {
  const log = useConsole("GET calls");
  const isOf = isOfChosenToken();
  return (
    <Panel
      title="Your newest calls"
      actions={
        <>
          <Choices view="all" tokens={tokens} />
          <button type="button" onClick={log.reload}>
            {t("Load again")}
          </button>
        </>
      }
    >
      <Loaded of={tokens ? log : { ...log, value: null }} lines={12}>
        {({ since, calls }) => (
          <>
            <p class="muted">
              {t(
                "Up to 1,000 calls that this server has answered since {time}. Of the arguments, only symbols and country are kept.",
                { time: formatInstant(since) },
              )}
            </p>
            <CallTable tokens={tokens ?? []} calls={calls.filter(isOf)} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** The refused calls of a UTC day, which appear as they are made. */
function RefusedPanel({ tokens }: OfTokens) {
  const date = place.value.query.get("date");
  const refused = useConsole("GET refusals", date === null ? "" : queryOf({ date }));
  usePoll(refused, POLL_MS);
  const isOf = isOfChosenToken();
  return (
    <Panel title="Refused calls" actions={<Choices view="errors" tokens={tokens} />}>
      <Loaded of={tokens ? refused : { ...refused, value: null }} lines={12}>
        {(shown) => (
          <>
            <p class="muted">
              {t(
                "Refused calls of the last 30 days, by UTC day. Equal ones of a minute are one row. Tokens, links and keys are left out.",
              )}
            </p>
            <DayChoice shown={shown} />
            <RefusalTable tokens={tokens ?? []} refusals={shown.refusals.filter(isOf)} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function isOfChosenToken(): (row: { readonly tokenId: number }) => boolean {
  const token = place.value.query.get("token");
  return ({ tokenId }) => token === null || String(tokenId) === token;
}

function Choices({ view, tokens }: OfTokens & { readonly view: keyof typeof VIEWS }) {
  return (
    <>
      <Tabs
        label="View"
        tabs={["all", "errors"]}
        current={view}
        textOf={(one) => VIEWS[one]}
        onChange={(one) => setQuery({ view: one === "all" ? null : one, date: null })}
      />
      <TokenChoice tokens={tokens ?? []} current={place.value.query.get("token")} />
    </>
  );
}

function DayChoice({ shown: { days, date } }: { readonly shown: Refusals }) {
  if (days.length === 0) return null;
  const known = days.some((one) => one.date === date) ? days : [{ date, calls: 0 }, ...days];
  return (
    <select
      aria-label={t("UTC day")}
      value={date}
      onChange={(event) => setQuery({ date: event.currentTarget.value })}
    >
      {known.map((one) => (
        <option key={one.date} value={one.date}>
          {formatDate(one.date)}: {formatNumber(one.calls, 0)}
        </option>
      ))}
    </select>
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
  const { time, operation, via, token, status } = sharedColumns(tokens);
  const columns: Column<Calls[number]>[] = [
    time,
    operation,
    { title: "Subject", cell: ({ subject }) => subject || MISSING },
    via,
    token,
    status,
    { title: "Milliseconds", isNumber: true, cell: ({ ms }) => formatNumber(ms, 1) },
  ];
  return (
    <DataTable label="Calls" columns={columns} rows={calls} keyOf={(call) => calls.indexOf(call)} />
  );
}

function RefusalTable(props: { readonly tokens: Tokens; readonly refusals: Refusals["refusals"] }) {
  const { tokens, refusals } = props;
  if (refusals.length === 0) return <Empty>{t("No call was refused.")}</Empty>;
  const { time, operation, via, token, status } = sharedColumns(tokens);
  const columns: Column<Refusals["refusals"][number]>[] = [
    time,
    { title: "Calls", isNumber: true, cell: ({ calls }) => formatNumber(calls, 0) },
    operation,
    status,
    { title: "Parameter", cell: ({ param }) => (param ? <code>{param}</code> : MISSING) },
    { title: "Reason", cell: ({ message }) => <span lang="en">{message}</span> },
    via,
    token,
  ];
  return (
    <DataTable
      label="Calls"
      columns={columns}
      rows={refusals}
      keyOf={(one) => refusals.indexOf(one)}
    />
  );
}

/** The columns of both tables. */
function sharedColumns(tokens: Tokens) {
  type Row = Calls[number] | Refusals["refusals"][number];
  const labels = new Map(tokens.map(({ id, label, prefix }) => [id, label || prefix]));
  return {
    time: { title: "Time", cell: ({ at }) => <Ago at={at} /> },
    operation: {
      title: "Operation",
      cell: ({ operation }) => <code>{operation || MISSING}</code>,
    },
    via: { title: "Interface", cell: ({ via }) => DOORS[via] ?? via },
    token: {
      title: "Token",
      cell: ({ tokenId }) => labels.get(tokenId) ?? MISSING,
      isExtra: true,
    },
    status: {
      title: "Status",
      isNumber: true,
      cell: ({ status }) => <span class={status >= 400 ? "loss" : ""}>{status}</span>,
    },
  } satisfies Record<string, Column<Row>>;
}
