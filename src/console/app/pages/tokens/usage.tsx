import type { Resource } from "#console/app/api.ts";
import { dateText, formatNumber } from "#console/app/format.ts";
import { type Bar, Bars } from "#console/app/parts/bars.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { asIs, t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

/** The days of each table. Older days have no hours. */
export const DAYS_BY = { day: 30, hour: 7 } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const UNITS = ["day", "hour"] as const;
type Unit = (typeof UNITS)[number];
type Usage = AnswerTo<"GET usage">;
const CALLS_BY = { day: "Calls by day", hour: "Calls by hour" } as const;

/** The calls of an hour or a day. */
interface Bucket {
  readonly at: number;
  readonly calls: number;
  readonly denied: number;
}

/** The calls of the last days, of all tokens or one: a bar for each day, and tables of days and hours. */
export function UsagePanel(props: {
  readonly usage: Readonly<Record<Unit, Resource<Usage>>>;
  readonly tokens: AnswerTo<"GET tokens">;
}) {
  const { usage, tokens } = props;
  const token = place.value.query.get("token");
  const chosen = tokens.find(({ id }) => String(id) === token) ?? null;
  return (
    <Panel title={t("Usage of the last {days} days", { days: DAYS_BY.day })}>
      {tokens.length > 1 && <TokenChoice tokens={tokens} chosen={chosen} />}
      <Loaded of={usage.day} lines={6}>
        {(history) => <UsagePlot buckets={bucketsOf(history, "day", chosen?.id ?? null)} />}
      </Loaded>
      {UNITS.map((unit) => (
        <details key={unit}>
          <summary>{t(CALLS_BY[unit])}</summary>
          <Loaded of={usage[unit]} lines={6}>
            {(history) => (
              <UsageTable unit={unit} buckets={bucketsOf(history, unit, chosen?.id ?? null)} />
            )}
          </Loaded>
        </details>
      ))}
    </Panel>
  );
}

function TokenChoice(props: {
  readonly tokens: AnswerTo<"GET tokens">;
  readonly chosen: AnswerTo<"GET tokens">[number] | null;
}) {
  return (
    <label class="token-choice">
      {t("Token")}
      <select
        value={props.chosen ? String(props.chosen.id) : ""}
        onChange={(event) => setQuery({ token: event.currentTarget.value || null })}
      >
        <option value="">{t("All tokens")}</option>
        {props.tokens.map(({ id, label, prefix, revokedAt }) => (
          <option key={id} value={String(id)}>
            {label || prefix}
            {revokedAt !== null && ` ${t("(revoked)")}`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Every day or hour of the window, oldest first, also those without a call. */
function bucketsOf(history: Usage, unit: Unit, tokenId: number | null): Bucket[] {
  const length = unit === "day" ? DAY_MS : HOUR_MS;
  const end = unit === "day" ? history.dayEndsAt : history.hourEndsAt;
  const begin = history.dayEndsAt - DAYS_BY[unit] * DAY_MS;
  const entries = history.hours.filter((one) => tokenId === null || one.tokenId === tokenId);
  const byBucket = Map.groupBy(entries, ({ at }) => Math.floor((at - begin) / length));
  const sum = (list: Usage["hours"], key: "calls" | "denied") =>
    list.reduce((total, one) => total + one[key], 0);
  return Array.from({ length: Math.round((end - begin) / length) }, (_, index) => {
    const list = byBucket.get(index) ?? [];
    return { at: begin + index * length, calls: sum(list, "calls"), denied: sum(list, "denied") };
  });
}

/** `20 Nov` or `20 Nov, 14:00`, in UTC, as the limits count. */
function nameOf(at: number, unit: Unit): string {
  return dateText(at, {
    day: "numeric",
    month: "short",
    ...(unit === "hour" && { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    timeZone: "UTC",
  });
}

function describe({ at, calls, denied }: Bucket): string {
  const refused =
    denied === 0 ? "" : `, ${t("{count} refused", { count: formatNumber(denied, 0) })}`;
  const made = t("{count} calls", { count: formatNumber(calls, 0) });
  return `${nameOf(at, "day")} UTC: ${made}${refused}`;
}

function UsagePlot({ buckets }: { readonly buckets: Bucket[] }) {
  const total = totalOf(buckets);
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (!first || !last || buckets.every(isUnused)) return <NoCalls unit="day" />;
  const bars: Bar[] = buckets.map((bucket) => ({
    key: bucket.at,
    title: asIs(describe(bucket)),
    value: bucket.calls,
    extra: bucket.denied,
  }));
  return (
    <>
      <Bars
        label={asIs(`${t(CALLS_BY.day)}: ${total}. ${t("The table has every figure.")}`)}
        bars={bars}
        first={nameOf(first.at, "day")}
        last={`${nameOf(last.at, "day")} UTC`}
      />
      <p class="muted">{total}</p>
    </>
  );
}

const isUnused = ({ calls, denied }: Bucket) => calls + denied === 0;

function NoCalls({ unit }: { readonly unit: Unit }) {
  return <Empty>{t("No call in the last {days} days.", { days: DAYS_BY[unit] })}</Empty>;
}

/** `1,204 calls, 3 refused because a limit was reached` */
function totalOf(buckets: readonly Bucket[]): string {
  const calls = buckets.reduce((sum, one) => sum + one.calls, 0);
  const denied = buckets.reduce((sum, one) => sum + one.denied, 0);
  const made = t(calls === 1 ? "{count} call" : "{count} calls", { count: formatNumber(calls, 0) });
  const count = formatNumber(denied, 0);
  return `${made}, ${t("{count} refused because a limit was reached", { count })}`;
}

function UsageTable({ unit, buckets }: { readonly unit: Unit; readonly buckets: Bucket[] }) {
  const used = buckets.filter((bucket) => !isUnused(bucket)).toReversed();
  if (used.length === 0) return <NoCalls unit={unit} />;
  const columns: readonly Column<Bucket>[] = [
    {
      title: unit === "day" ? "Day (UTC)" : "Hour (UTC)",
      cell: ({ at }) => nameOf(at, unit),
      sortBy: ({ at }) => at,
    },
    {
      title: "Calls",
      cell: ({ calls }) => formatNumber(calls, 0),
      sortBy: ({ calls }) => calls,
      isNumber: true,
    },
    {
      title: "Refused",
      cell: ({ denied }) => formatNumber(denied, 0),
      sortBy: ({ denied }) => denied,
      isNumber: true,
    },
  ];
  return <DataTable label={CALLS_BY[unit]} columns={columns} rows={used} keyOf={({ at }) => at} />;
}
