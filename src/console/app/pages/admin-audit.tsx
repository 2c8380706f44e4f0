import { useEffect, useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { formatInstant, MISSING } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Empty, Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import type { AnswerTo } from "#http/console-api.ts";

type Entry = AnswerTo<"GET audit">[number];

/** The most entries of an answer. */
const PAGE = 100;

/** Sign-ins and changes of users, plans, roles and tokens, newest first; older pages on request. */
export function AuditPanel() {
  const first = useConsole("GET audit");
  return (
    <Panel title="Audit log">
      <Loaded of={first} lines={12}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty>Nothing has been recorded yet.</Empty>
          ) : (
            <Entries first={entries} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Entries({ first }: { readonly first: readonly Entry[] }) {
  const [older, setOlder] = useState<readonly (readonly Entry[])[]>([]);
  const { isBusy, error, run } = useAction();
  useEffect(() => setOlder([]), [first]);
  const last = older.at(-1) ?? first;
  const oldest = last.at(-1);
  const load = () =>
    run(async () => {
      setOlder([...older, await request("GET audit", { query: `before=${oldest?.id}` })]);
    });
  return (
    <>
      <DataTable
        label="Entries"
        columns={COLUMNS}
        rows={[...first, ...older.flat()]}
        keyOf={({ id }) => id}
      />
      {error !== null && <Failure message={error} />}
      {last.length === PAGE && (
        <div>
          <button type="button" disabled={isBusy} onClick={() => void load()}>
            {isBusy ? "Loading…" : "Load older entries"}
          </button>
        </div>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  {
    title: "Time",
    cell: ({ at }) => <time dateTime={new Date(at).toISOString()}>{formatInstant(at)}</time>,
  },
  { title: "Who", cell: ({ actor }) => actor },
  {
    title: "What",
    cell: ({ action }) => <span class={action.includes("refused") ? "loss" : ""}>{action}</span>,
  },
  { title: "Subject", cell: ({ subject }) => <span class="long">{subject}</span> },
  { title: "Address", cell: ({ address }) => address ?? MISSING, isExtra: true },
];
