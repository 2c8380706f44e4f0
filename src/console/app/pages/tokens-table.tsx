import { request } from "#console/app/api.ts";
import { formatAgo, formatInstant, formatUntil, MISSING } from "#console/app/format.ts";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Meter } from "#console/app/parts/meter.tsx";
import { Empty } from "#console/app/parts/panel.tsx";
import { Ago, Until } from "#console/app/parts/time.tsx";
import type { AnswerTo } from "#http/console-api.ts";

type Token = AnswerTo<"GET tokens">[number];

/** True if the token is accepted now. */
export function isLive({ revokedAt, expiresAt }: Token): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > Date.now());
}

/** The live tokens with both quota windows, and below them the others. */
export function TokenTable(props: {
  readonly tokens: readonly Token[];
  readonly usage: AnswerTo<"GET usage"> | null;
  readonly onRevoked: () => void;
}) {
  const { tokens, usage, onRevoked } = props;
  const newestFirst = tokens.toSorted((a, b) => b.createdAt - a.createdAt || b.id - a.id);
  const live = newestFirst.filter(isLive);
  const ended = newestFirst.filter((token) => !isLive(token));
  return (
    <>
      {live.length === 0 ? (
        <Empty>You have no live token. Make one above.</Empty>
      ) : (
        <DataTable
          label="Your live tokens"
          columns={liveColumns(usage, onRevoked)}
          rows={live}
          keyOf={({ id }) => id}
        />
      )}
      <p class="muted">{usage === null ? "\u00a0" : limitsText(usage)}</p>
      {ended.length > 0 && (
        <details>
          <summary>Revoked and expired ({ended.length})</summary>
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
  cell: ({ label, kind, prefix, rights, lastUsedAt }) => (
    <>
      <span class="token-label">{label || MISSING}</span>
      <br />
      <code class="muted">{prefix}…</code>
      {kind === "feed" && <span class="muted"> feed link</span>}
      {rights.length > 0 && <span class="muted"> may change lists</span>}
      <span class="muted narrow-only">
        <br />
        used {lastUsedAt === null ? "never" : formatAgo(lastUsedAt)}
      </span>
    </>
  ),
  sortBy: ({ label }) => label.toLowerCase(),
};

function limitsText({ daily, hourEndsAt, dayEndsAt }: AnswerTo<"GET usage">): string {
  return daily === null
    ? "Your plan has no limit."
    : `Limits are for each token. The hour resets ${formatUntil(hourEndsAt)}, the day ${formatUntil(dayEndsAt)}, at midnight UTC.`;
}

function liveColumns(usage: AnswerTo<"GET usage"> | null, onRevoked: () => void): Column<Token>[] {
  return [
    NAME,
    {
      title: "Calls",
      cell: (token) => <Meters token={token} usage={usage} />,
      sortBy: ({ callsToday }) => callsToday,
    },
    {
      title: "Last used",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Ago at={lastUsedAt} />),
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
      cell: ({ expiresAt }) => (expiresAt === null ? "never" : <Until at={expiresAt} />),
      sortBy: ({ expiresAt }) => expiresAt ?? Infinity,
      isExtra: true,
    },
    {
      title: "Action",
      cell: (token) => <Revoke token={token} onRevoked={onRevoked} />,
      isNumber: true,
    },
  ];
}

/** The calls of the running hour and day. */
function Meters({
  token,
  usage,
}: {
  readonly token: Token;
  readonly usage: AnswerTo<"GET usage"> | null;
}) {
  const { label, callsThisHour, callsToday } = token;
  return (
    <div class="meters">
      <Meter
        name="hour"
        label={`Calls of ${label} this hour`}
        used={callsThisHour}
        limit={usage?.hourly ?? null}
      />
      <Meter
        name="day"
        label={`Calls of ${label} today`}
        used={callsToday}
        limit={usage?.daily ?? null}
      />
    </div>
  );
}

function Revoke({ token, onRevoked }: { readonly token: Token; readonly onRevoked: () => void }) {
  const { id, label, prefix } = token;
  const revoke = async () => {
    await request("DELETE tokens/:id", { param: id });
    onRevoked();
  };
  return (
    <ConfirmButton text="Revoke" question={`Revoke ${label || prefix}?`} action={revoke}>
      Programs that use this token get status 401 from the next call on. A token cannot be restored.
    </ConfirmButton>
  );
}

const ENDED_COLUMNS: readonly Column<Token>[] = [
  NAME,
  {
    title: "Ended",
    cell: ({ revokedAt, expiresAt }) =>
      revokedAt === null ? (
        <>expired {expiresAt !== null && formatInstant(expiresAt)}</>
      ) : (
        <>revoked {formatInstant(revokedAt)}</>
      ),
    sortBy: ({ revokedAt, expiresAt }) => revokedAt ?? expiresAt,
  },
  {
    title: "Last used",
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Ago at={lastUsedAt} />),
    sortBy: ({ lastUsedAt }) => lastUsedAt,
  },
];
