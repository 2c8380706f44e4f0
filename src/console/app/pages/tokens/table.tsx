import { timeNow } from "#console/app/clock.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { isSettled, request, type Resource } from "#console/app/api.ts";
import {
  formatAgo,
  formatDate,
  formatInstant,
  formatNumber,
  formatUntil,
  MISSING,
} from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { usePoll } from "#console/app/parts/poll.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { LabelField } from "#console/app/parts/label-field.tsx";
import { Meter } from "#console/app/parts/meter.tsx";
import { Empty, Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Sparkline } from "#console/app/parts/sparkline.tsx";
import { Ago, Until } from "#console/app/parts/time.tsx";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import type { ShownToken } from "./secret.tsx";
import { nameListed } from "./lists.tsx";

type Token = AnswerTo<"GET tokens">[number];
type Usage = AnswerTo<"GET usage">;
type Log = AnswerTo<"GET calls">;

const POLL_MS = 10_000;

/** True if the token is accepted now. */
export function isLive({ revokedAt, expiresAt }: Token): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > timeNow());
}

/** True for an unused token that continues the counts of the token it replaced. */
const isContinued = ({ lastUsedAt, callsToday, callsThisHour }: Token) =>
  lastUsedAt === null && callsToday + callsThisHour > 0;

/** The user's tokens, below what is passed to it. */
export function TokensPanel(props: {
  readonly tokens: Resource<AnswerTo<"GET tokens">>;
  readonly usage: Resource<Usage>;
  readonly log: Resource<Log>;
  readonly onCreated: (token: ShownToken) => void;
  readonly children?: ComponentChildren;
}) {
  const { tokens, usage, log, onCreated, children } = props;
  const isReady = isSettled(usage) && isSettled(log);
  usePoll(tokens, POLL_MS);
  // What a row says is of one moment.
  const calls = tokens.value?.reduce((sum, one) => sum + one.callsToday, 0) ?? null;
  const known = useRef(calls);
  useEffect(() => {
    if (known.current !== null && calls !== null && known.current !== calls) {
      usage.reload();
      log.reload();
    }
    known.current = calls;
  }, [calls]);
  return (
    <Panel title="Your tokens" actions={<a href="/console/log">{t("Call log")}</a>}>
      {children}
      {/* All parts arrive before the table is shown: nothing moves. */}
      <Loaded of={isReady || tokens.error ? tokens : { ...tokens, value: null }}>
        {(list) => (
          <TokenTable
            tokens={list}
            usage={usage.value}
            log={log.value}
            onChanged={tokens.reload}
            onCreated={onCreated}
          />
        )}
      </Loaded>
    </Panel>
  );
}

/** The live tokens with both quota windows, and below them the others. */
function TokenTable(props: {
  readonly tokens: readonly Token[];
  readonly usage: Usage | null;
  readonly log: Log | null;
  readonly onChanged: () => void;
  readonly onCreated: (token: ShownToken) => void;
}) {
  const { tokens, usage, log } = props;
  const errors = useMemo(() => log && usage && countErrors(log, usage), [log, usage]);
  const newestFirst = tokens.toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id);
  const live = newestFirst.filter(isLive);
  const ended = newestFirst.filter((token) => !isLive(token));
  return (
    <>
      {live.length === 0 ? (
        <Empty>{t("You have no live token. Create one above.")}</Empty>
      ) : (
        <DataTable
          label="Your live tokens"
          columns={liveColumns(usage, errors, props)}
          rows={live}
          keyOf={({ id }) => id}
        />
      )}
      <p class="muted">{usage && noteText(usage, live.length > 0 ? log : null)}</p>
      {ended.length > 0 && (
        <details>
          <summary>
            {t("Revoked and expired")} ({ended.length})
          </summary>
          <DataTable
            label="Revoked and expired tokens"
            columns={ENDED_COLUMNS}
            rows={ended}
            keyOf={({ id }) => id}
          />
        </details>
      )}
    </>
  );
}

const NAME: Column<Token> = {
  title: "Label",
  cell: ({ label, kind, prefix, rights, lists, asOf, lastUsedAt }) => (
    <>
      <span class="token-label">{label || MISSING}</span>
      <br />
      <code class="muted">{prefix}…</code>
      {kind === "feed" && <span class="muted"> {t("feed link")}</span>}
      {asOf !== null && <span class="muted"> {t("as of {date}", { date: formatDate(asOf) })}</span>}
      {lists?.length === 0 && <span class="muted"> {t("reads no list")}</span>}
      {lists !== null && lists.length > 0 && (
        <span class="muted">
          {" "}
          {t("reads {lists}", { lists: lists.map(nameListed).join(", ") })}
        </span>
      )}
      {rights.includes("lists:write") && <span class="muted"> {t("may change lists")}</span>}
      {rights.includes("alerts:write") && <span class="muted"> {t("may change alerts")}</span>}
      <span class="muted narrow-only">
        <br />
        {t("Last used")}: {lastUsedAt === null ? t("never") : formatAgo(lastUsedAt)}
      </span>
    </>
  ),
  sortBy: ({ label }) => label.toLowerCase(),
};

function limitsText({ daily, hourEndsAt, dayEndsAt }: Usage): string {
  return daily === null
    ? t("Your plan has no limit.")
    : t("Limits are for each token. The hour resets {hour}, the day {day}, at midnight UTC.", {
        hour: formatUntil(hourEndsAt),
        day: formatUntil(dayEndsAt),
      });
}

interface Actions {
  readonly onChanged: () => void;
  readonly onCreated: (token: ShownToken) => void;
}

function liveColumns(
  usage: Usage | null,
  errors: ReadonlyMap<number, number> | null,
  actions: Actions,
): Column<Token>[] {
  return [
    NAME,
    {
      title: "Calls",
      cell: (token) => <Meters token={token} usage={usage} />,
      sortBy: ({ callsToday }) => callsToday,
    },
    {
      title: "24 hours",
      cell: (token) =>
        usage && (
          <LastDay
            usage={usage}
            tokenId={token.id}
            label={token.label}
            errors={errors?.get(token.id) ?? 0}
            isContinued={isContinued(token)}
          />
        ),
      isExtra: true,
    },
    {
      title: "Last used",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t("never") : <Ago at={lastUsedAt} />),
      sortBy: ({ lastUsedAt }) => lastUsedAt,
      isExtra: true,
    },
    {
      title: "Created",
      cell: ({ createdAt }) => <Ago at={createdAt} />,
      sortBy: ({ createdAt }) => createdAt,
      isExtra: true,
    },
    {
      title: "Expires",
      cell: ({ expiresAt }) => (expiresAt === null ? t("never") : <Until at={expiresAt} />),
      sortBy: ({ expiresAt }) => expiresAt ?? Infinity,
      isExtra: true,
    },
    {
      title: "Action",
      cell: (token) => (
        <div class="panel-actions">
          <Rename token={token} {...actions} />
          <Replace token={token} {...actions} />
          <Revoke token={token} {...actions} />
        </div>
      ),
    },
  ];
}

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** The calls that the log has at most. */
const LOG_CALLS = 1_000;

/** When the last 24 hours begin, with the running hour as the last, by the clock of the service. */
const dayBefore = ({ hourEndsAt }: Usage) => hourEndsAt - HOURS * HOUR_MS;

/** What the counts of the rows mean. @param log null without rows */
function noteText(usage: Usage, log: Log | null): string {
  const ahead =
    usage.isAhead &&
    t(
      "Other nodes count calls up to 10 s in advance, so the counts of a busy token may be ahead of its calls.",
    );
  return [limitsText(usage), log && sinceText(log, usage), ahead].filter(Boolean).join(" ");
}

/** Since when errors are counted, if that is not for 24 hours; otherwise empty. */
function sinceText({ since, calls }: Log, usage: Usage): string {
  // The log has the newest calls of all tokens together.
  const begin = calls.length < LOG_CALLS ? since : (calls.at(-1)?.at ?? since);
  if (begin <= dayBefore(usage)) return "";
  return t("Errors come from the call log, which begins {time}.", {
    time: formatInstant(begin),
  });
}

/** The errors of the last 24 hours by token, as far as the log goes back. */
function countErrors({ calls }: Log, usage: Usage): ReadonlyMap<number, number> {
  const from = dayBefore(usage);
  const counts = new Map<number, number>();
  for (const { at, tokenId, status } of calls) {
    if (at >= from && status >= 400) counts.set(tokenId, (counts.get(tokenId) ?? 0) + 1);
  }
  return counts;
}

/** The calls of the last 24 hours as a line, and the errors that the log has. */
function LastDay(props: {
  readonly usage: Usage;
  readonly tokenId: number;
  readonly label: string;
  readonly errors: number;
  /** True if the calls were made by the token before it. */
  readonly isContinued: boolean;
}) {
  const { usage, tokenId, label, errors, isContinued } = props;
  const begin = dayBefore(usage);
  const calls = Array.from({ length: HOURS }, () => 0);
  for (const hour of usage.hours) {
    const index = Math.floor((hour.at - begin) / HOUR_MS);
    if (hour.tokenId === tokenId && index >= 0) calls[index] = (calls[index] ?? 0) + hour.calls;
  }
  const total = calls.reduce((sum, one) => sum + one, 0);
  if (isContinued) return <span class="muted">{t("no call of its own")}</span>;
  if (total === 0 && errors === 0) return <span class="muted">{t("no call")}</span>;
  const text = t("{label}: {count} calls in 24 hours", { label, count: formatNumber(total, 0) });
  return (
    <span class="last-day">
      <Sparkline values={calls} label={text} />
      {errors > 0 && (
        <a class="loss" href={`/console/log?token=${tokenId}&view=errors`}>
          {t("{count} errors", { count: formatNumber(errors, 0) })}
        </a>
      )}
    </span>
  );
}

/** The calls of the running hour and day. */
function Meters({ token, usage }: { readonly token: Token; readonly usage: Usage | null }) {
  const { label, callsThisHour, callsToday } = token;
  return (
    <div class="meters">
      <Meter
        name="hour"
        label={t("Calls of {label} this hour", { label })}
        used={callsThisHour}
        limit={usage?.hourly ?? null}
      />
      <Meter
        name="day"
        label={t("Calls of {label} today", { label })}
        used={callsToday}
        limit={usage?.daily ?? null}
      />
      {isContinued(token) && (
        <span class="muted">
          {t("Continues the count of a token that ended, because a new token is no new quota.")}
        </span>
      )}
    </div>
  );
}

type ActionProps = Actions & { readonly token: Token };

function Rename({ token, onChanged }: ActionProps) {
  const { id, label, prefix } = token;
  return (
    <DialogButton text={t("Rename")} title={t("Rename {token}", { token: label || prefix })}>
      {(close) => (
        <ActionForm
          name={t("Rename")}
          run={async (data) => {
            const body = { label: readText(data, "label").trim() };
            await request("PATCH tokens/:id", { param: id, body });
            onChanged();
          }}
          onDone={close}
        >
          <LabelField value={label} />
        </ActionForm>
      )}
    </DialogButton>
  );
}

/** How long the old secret goes on working, as the server takes it. */
const KEPT = {
  "24h": "for 24 hours",
  "1h": "for an hour",
  "7d": "for 7 days",
  "0": "not at all",
} as const;

function Replace({ token, onChanged, onCreated }: ActionProps) {
  const { id, label, prefix } = token;
  return (
    <DialogButton text={t("Replace")} title={t("Replace {token}", { token: label || prefix })}>
      {(close) => (
        <ActionForm
          name={t("Replace")}
          run={async (data) => {
            const keep = readText(data, "keep") as keyof typeof KEPT;
            onCreated(await request("POST tokens/:id/replacement", { param: id, body: { keep } }));
            onChanged();
          }}
          onDone={close}
        >
          <p>{t("A new secret with the same label, rights and lifetime is shown on this page.")}</p>
          <label>
            {t("The old one goes on working")}
            <select name="keep">
              {Object.entries(KEPT).map(([value, text]) => (
                <option key={value} value={value}>
                  {t(text)}
                </option>
              ))}
            </select>
          </label>
        </ActionForm>
      )}
    </DialogButton>
  );
}

/** The form of a dialog, which closes when the server has agreed. */
function ActionForm(props: {
  readonly name: string;
  readonly run: (data: FormData) => Promise<void>;
  readonly onDone: () => void;
  readonly children: ComponentChildren;
}) {
  const { isBusy, error, run } = useAction();
  const submit = async (event: FormEvent) => {
    const data = readForm(event);
    if (await run(() => props.run(data))) props.onDone();
  };
  return (
    <form class="stack" onSubmit={submit}>
      {props.children}
      {error !== null && <Failure message={error} />}
      <div class="buttons">
        <button type="button" onClick={props.onDone}>
          {t("Close")}
        </button>
        <button type="submit" class="primary" disabled={isBusy}>
          {props.name}
        </button>
      </div>
    </form>
  );
}

function Revoke({ token, onChanged }: ActionProps) {
  const { id, label, prefix } = token;
  const revoke = async () => {
    await request("DELETE tokens/:id", { param: id });
    onChanged();
  };
  return (
    <ConfirmButton
      text={t("Revoke")}
      question={t("Revoke {token}?", { token: label || prefix })}
      action={revoke}
    >
      {t(
        "Programs that use this token get status 401 from the next call on. A token cannot be restored.",
      )}
    </ConfirmButton>
  );
}

const ENDED_COLUMNS: readonly Column<Token>[] = [
  NAME,
  {
    title: "Ended",
    cell: ({ revokedAt, expiresAt }) =>
      revokedAt === null ? (
        <>
          {t("expired")} {expiresAt !== null && formatInstant(expiresAt)}
        </>
      ) : (
        <>
          {t("revoked")} {formatInstant(revokedAt)}
        </>
      ),
    sortBy: ({ revokedAt, expiresAt }) => revokedAt ?? expiresAt,
  },
  {
    title: "Last used",
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? t("never") : <Ago at={lastUsedAt} />),
    sortBy: ({ lastUsedAt }) => lastUsedAt,
  },
];
