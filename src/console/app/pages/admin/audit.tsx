import { useEffect, useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { formatInstant, MISSING } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { DraftInput } from "#console/app/parts/draft-input.tsx";
import { Empty, Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

type Entry = AnswerTo<"GET audit">[number];

/** The most entries of an answer. */
const PAGE = 100;

/** Sign-ins and changes of users, plans, roles and tokens, newest first; older pages on request. */
export function AuditPanel() {
  const find = place.value.query.get("find") ?? "";
  const query = find && `find=${encodeURIComponent(find)}`;
  const first = useConsole("GET audit", query);
  return (
    <Panel
      title="Audit log"
      actions={
        <>
          <DraftInput
            isSearch
            label={t("Find entries")}
            placeholder={t("Find: name, action or address")}
            value={find}
            onDone={(text) => setQuery({ find: text || null })}
          />
          <a class="button" href={`/console/api/audit.csv?${query}`} download>
            CSV
          </a>
        </>
      }
    >
      <Loaded of={first} lines={12}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty>
              {find === ""
                ? t("Nothing has been recorded yet.")
                : t("No entry has the text “{find}”.", { find })}
            </Empty>
          ) : (
            <Entries key={find} first={entries} query={query} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Entries({ first, query }: { readonly first: readonly Entry[]; readonly query: string }) {
  const [older, setOlder] = useState<readonly (readonly Entry[])[]>([]);
  const { isBusy, error, run } = useAction();
  useEffect(() => setOlder([]), [first]);
  const last = older.at(-1) ?? first;
  const oldest = last.at(-1);
  const load = () =>
    run(async () => {
      const page = await request("GET audit", { query: `before=${oldest?.id}&${query}` });
      setOlder([...older, page]);
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
            {t(isBusy ? "Loading" : "Load older entries")}
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
