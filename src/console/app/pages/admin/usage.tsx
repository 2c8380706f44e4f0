import { useConsole } from "#console/app/api.ts";
import { formatDate, formatInstant, formatNumber, MISSING } from "#console/app/format.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { DraftInput } from "#console/app/parts/draft-input.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

type Usage = AnswerTo<"GET user-days">;
type UserDay = Usage["days"][number];

/** The days that the answer has. */
const DAYS = 7;

/** The calls of each user on each of the last days: how many, why some were refused, and for what. */
export function UsagePanel() {
  const usage = useConsole("GET user-days");
  const find = place.value.query.get("find") ?? "";
  return (
    <Panel
      title={t("Usage of the last {days} days", { days: DAYS })}
      actions={
        <>
          <DraftInput
            isSearch
            label={t("Find a user")}
            placeholder={t("Find a user")}
            value={find}
            onDone={(text) => setQuery({ find: text || null })}
          />
          <a class="button" href="/console/api/user-days.csv" download>
            CSV
          </a>
        </>
      }
    >
      <Loaded of={usage} lines={12}>
        {(list) => <Days usage={list} find={find} />}
      </Loaded>
    </Panel>
  );
}

function Days({ usage, find }: { readonly usage: Usage; readonly find: string }) {
  const { days, count, since } = usage;
  if (count === 0) return <Empty>{t("No call in the last {days} days.", { days: DAYS })}</Empty>;
  const found = days.filter(({ user }) => user.toLowerCase().includes(find.toLowerCase()));
  return (
    <>
      <DataTable
        label="Calls by user and day"
        columns={COLUMNS}
        rows={found}
        keyOf={({ date, user }) => `${date} ${user}`}
      />
      {days.length < count && (
        <p>
          {t("The table has {shown} of {count} rows. The CSV has all.", {
            shown: formatNumber(days.length, 0),
            count: formatNumber(count, 0),
          })}
        </p>
      )}
      <p class="muted">
        {t(
          "Days are UTC. A user without a row made no call. A call that was refused because a limit was reached is not among the calls; other refused calls are.",
        )}{" "}
        {t(
          "Operations are not stored. They come from the call log of this server, which begins {time} and has the newest calls of each token.",
          { time: formatInstant(since) },
        )}
      </p>
    </>
  );
}

const refusedOf = ({ refused }: UserDay) => refused.reduce((sum, { calls }) => sum + calls, 0);

/** `invalid_argument 12, not_found 1` */
const namesWith = (list: readonly (readonly [name: string, calls: number])[]) =>
  list.map(([name, calls]) => `${name} ${formatNumber(calls, 0)}`).join(", ");

function Refused({ row }: { readonly row: UserDay }) {
  const count = formatNumber(refusedOf(row), 0);
  return row.isPart ? t("at least {count}", { count }) : count;
}

function Codes({ row }: { readonly row: UserDay }) {
  if (row.refused.length === 0) return null;
  return <code>{namesWith(row.refused.map(({ code, calls }) => [code, calls]))}</code>;
}

/** The operations with the most calls, and of how many calls they are if those are not all. */
function Operations({ row }: { readonly row: UserDay }) {
  const { operations, remembered, calls, refused } = row;
  if (operations.length === 0) return MISSING;
  // A call above a limit is not counted.
  const counted = refused.filter(({ code }) => code !== "rate_limited");
  const answered = counted.reduce((left, one) => left - one.calls, calls);
  return (
    <>
      <code>{namesWith(operations.map((one) => [one.operation, one.calls]))}</code>
      {remembered < answered && (
        <span class="muted">
          {" "}
          {t("of {shown} calls in the log", { shown: formatNumber(remembered, 0) })}
        </span>
      )}
    </>
  );
}

const COLUMNS: readonly Column<UserDay>[] = [
  { title: "Day (UTC)", cell: ({ date }) => formatDate(date), sortBy: ({ date }) => date },
  {
    title: "User",
    cell: (row) => (
      <>
        {row.user}
        <span class="muted narrow-only">
          <br />
          <Codes row={row} /> <Operations row={row} />
        </span>
      </>
    ),
    sortBy: ({ user }) => user.toLowerCase(),
  },
  {
    title: "Calls",
    cell: ({ calls }) => formatNumber(calls, 0),
    sortBy: ({ calls }) => calls,
    isNumber: true,
  },
  { title: "Refused", cell: (row) => <Refused row={row} />, sortBy: refusedOf, isNumber: true },
  { title: "Codes of errors", cell: (row) => <Codes row={row} />, isExtra: true },
  { title: "Most used operations", cell: (row) => <Operations row={row} />, isExtra: true },
];
