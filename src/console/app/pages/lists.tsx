import { useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Ago } from "#console/app/parts/time.tsx";
import { open } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import { addList, lists as knownLists, nameOf } from "#console/app/user-lists.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { ListPage, listPath } from "./list.tsx";

/** Lists: all of the user, or one of them. */
export default function ListsPage(props: { readonly params: Readonly<Record<string, string>> }) {
  const name = props.params["name"];
  return name === undefined ? <AllLists /> : <ListPage key={name} name={name} />;
}

function AllLists() {
  const all = useConsole("GET lists");
  return (
    <>
      <PageTitle title="Lists" />
      <Panel title="Your lists">
        <Loaded of={{ ...all, value: all.value ?? knownLists.value }}>
          {(lists) =>
            lists.length === 0 ? (
              <Empty>
                {t(
                  "You have no list yet. Open a company and press Watch, make one below, or drop a file of another program.",
                )}
              </Empty>
            ) : (
              <DataTable
                label="Names of your lists"
                rows={lists}
                keyOf={({ name }) => name}
                columns={[
                  {
                    title: "Name",
                    cell: ({ name }) => <a href={listPath(name)}>{name}</a>,
                    sortBy: ({ name }) => name,
                  },
                  {
                    title: "Items",
                    isNumber: true,
                    cell: ({ items }) => items,
                    sortBy: ({ items }) => items,
                  },
                  {
                    title: "Changed",
                    cell: ({ changedAt }) => <Ago at={changedAt} />,
                    sortBy: ({ changedAt }) => changedAt,
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Panel>
      <div class="columns">
        <NewList />
        <ImportPanel />
      </div>
    </>
  );
}

function NewList() {
  const { isBusy, error, run } = useAction();
  const submit = async (event: FormEvent) => {
    const name = nameOf(readText(readForm(event), "name"));
    if (await run(() => addList(name, []))) open(listPath(name));
  };
  return (
    <Panel title="New list">
      <form class="row-form" onSubmit={submit}>
        <label>
          {t("Name")}
          <input name="name" required maxLength={40} placeholder="semis" autocomplete="off" />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          {t("Make")}
        </button>
      </form>
      {error !== null && <Failure message={error} />}
    </Panel>
  );
}

type Preview = AnswerTo<"POST list-preview">;

/** A file of a broker or another program becomes a list, after the user has seen what was understood. */
function ImportPanel() {
  const { isBusy, error, run } = useAction();
  const [preview, setPreview] = useState<Preview | null>(null);
  const read = (file: File | undefined) =>
    file &&
    void run(async () => {
      setPreview(null);
      const query = new URLSearchParams({ file: file.name }).toString();
      setPreview(await request("POST list-preview", { query, file }));
    });
  return (
    <Panel title="From a file">
      <label
        class="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          read(event.dataTransfer?.files[0]);
        }}
      >
        {t(
          "Drop a file here, or choose one: TradingView, Yahoo, Portfolio Performance, Ghostfolio, ledgers, brokers' CSV.",
        )}
        <input
          type="file"
          disabled={isBusy}
          onChange={(event) => read(event.currentTarget.files?.[0])}
        />
      </label>
      {error !== null && <Failure message={error} />}
      {preview && <PreviewForm key={preview.name} preview={preview} />}
    </Panel>
  );
}

function PreviewForm({ preview }: { readonly preview: Preview }) {
  const { isBusy, error, run } = useAction();
  const { program, items } = preview;
  const submit = async (event: FormEvent) => {
    const name = nameOf(readText(readForm(event), "name"));
    const saved = await run(() =>
      addList(
        name,
        items.map(({ item }) => item),
      ),
    );
    if (saved) open(listPath(name));
  };
  return (
    <form class="stack" onSubmit={submit}>
      <p>
        {t("{count} instruments of a file of {program}. Nothing is stored yet.", {
          count: items.length,
          program,
        })}
      </p>
      <Remarks preview={preview} />
      <div class="preview-items">
        <DataTable
          label="What becomes the list"
          rows={items}
          keyOf={({ place }) => place}
          columns={[
            { title: "In the file", cell: ({ written }) => written },
            { title: "Symbol", cell: ({ item }) => `${item.country}:${item.symbol}` },
            { title: "Name", cell: ({ name }) => <span class="cut">{name}</span> },
            { title: "Shares", isNumber: true, cell: ({ item }) => item.shares ?? "" },
          ]}
        />
      </div>
      <div class="row-form">
        <label>
          {t("Name of the list")}
          <input name="name" required maxLength={40} defaultValue={preview.name} />
        </label>
        <button type="submit" class="primary" disabled={isBusy || items.length === 0}>
          {t("Save {count}", { count: items.length })}
        </button>
      </div>
      {error !== null && <Failure message={error} />}
    </form>
  );
}

/** What of the file does not become an item, and why. */
function Remarks({ preview: { notUnderstood, remarks } }: { readonly preview: Preview }) {
  return (
    <>
      {notUnderstood.length > 0 && (
        <>
          <p>
            <b>{t("{count} not understood, and left out:", { count: notUnderstood.length })}</b>
          </p>
          <ul class="page-list">
            {notUnderstood.map(({ place, written, reason, closest }) => (
              <li key={`${place} ${written}`}>
                {place}: {written}: {reason}.
                {closest &&
                  ` ${t("The closest is {name}.", { name: `${closest.item.symbol} ${closest.name}` })}`}
              </li>
            ))}
          </ul>
        </>
      )}
      {remarks.length > 0 && (
        <details>
          <summary>{t("{count} remarks", { count: remarks.length })}</summary>
          <ul class="page-list">
            {remarks.map(({ place, written, reason }) => (
              <li key={`${place} ${written}`}>
                {place}: {written}: {reason}.
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
