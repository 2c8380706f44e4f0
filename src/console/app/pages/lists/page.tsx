import { formatList } from "#console/app/format.ts";
import { useState } from "preact/hooks";
import { ApiError, callOperation, dataKey, request, useResource } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { Change } from "#console/app/parts/change.tsx";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { NameField } from "#console/app/parts/name-field.tsx";
import { Empty, Failure, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { Ago } from "#console/app/parts/time.tsx";
import { open } from "#console/app/router.ts";
import { asIs, type Sentence, t, translate } from "#console/app/words.ts";
import { addList } from "./named-list.ts";
import { lists, loadLists } from "#console/app/user-lists.ts";
import type { AnswerTo } from "#http/console-api.ts";
import type { PayloadOf } from "#operations/index.ts";
import { ListPage, listPath } from "./list.tsx";
import { sharesText, weightText } from "./item.tsx";

/** Lists: all of the user, or one of them. */
export default function ListsPage(props: { readonly params: Readonly<Record<string, string>> }) {
  const name = props.params["name"];
  return name === undefined ? <AllLists /> : <ListPage key={name} name={name} />;
}

/** The lists whose companies are loaded for the table. */
const MOST_SHOWN = 20;
/** The companies of a list that are named. */
const NAMED = 4;

type List = AnswerTo<"GET lists">[number];

/** The companies of each list with their changes of the day, by the name of the list. */
function useCompanies(all: readonly List[]) {
  const shown = all.slice(0, MOST_SHOWN);
  const names = shown.map(({ name }) => name);
  const states = shown.map(({ name, changedAt }) => `${name} ${changedAt}`).join();
  const key = names.length === 0 ? null : dataKey(`lists ${states}`);
  return useResource(key, async () => {
    // A list that was deleted meanwhile leaves the others.
    const answers = await Promise.allSettled(
      names.map(async (name) => {
        const args = { name, metrics: "change_percent" };
        const { data } = await callOperation({ operation: "get_lists", args });
        return [name, data] as const;
      }),
    );
    return new Map(answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
  });
}

function AllLists() {
  // Another tab or an agent may have changed them.
  useResource("lists", loadLists);
  const companies = useCompanies(lists.value);
  return (
    <>
      <PageTitle title={t("Lists")} />
      <Panel title="Your lists">
        {lists.value.length === 0 ? (
          <Empty>
            {t(
              "You have no list yet. Open a company and press Watch, make one below, or drop a file of another program.",
            )}
          </Empty>
        ) : (
          <div class="lists-table">
            <ListTable companies={companies.value} />
          </div>
        )}
      </Panel>
      <div class="columns">
        <NewList />
        <ImportPanel />
      </div>
    </>
  );
}

function ListTable(props: {
  readonly companies: ReadonlyMap<string, PayloadOf<"get_lists">> | null;
}) {
  const rowsOfList = (name: string) => {
    const data = props.companies?.get(name);
    return data ? rowsOf(data) : [];
  };
  return (
    <DataTable
      label="Names of your lists"
      rows={lists.value}
      keyOf={({ name }) => name}
      columns={[
        {
          title: "Name",
          cell: ({ name, title = name }) => <a href={listPath(name)}>{title}</a>,
          sortBy: ({ name, title = name }) => title,
        },
        {
          title: "Items",
          isNumber: true,
          cell: ({ items }) => items,
          sortBy: ({ items }) => items,
        },
        {
          title: "Companies",
          isExtra: true,
          cell: ({ name, items }) => {
            const symbols = rowsOfList(name).slice(0, NAMED);
            const rest = items - symbols.length;
            return (
              <span class="short-name">
                {formatList(symbols.map((row) => textIn(row, "symbol")))}
                {symbols.length > 0 && rest > 0 && ` ${t("and {count} more", { count: rest })}`}
              </span>
            );
          },
        },
        {
          title: "1 day, mean",
          isNumber: true,
          cell: (list) => <Change value={meanChange(rowsOfList(list.name), list.items)} />,
          sortBy: (list) => meanChange(rowsOfList(list.name), list.items),
        },
        {
          title: "Changed",
          isExtra: true,
          cell: ({ changedAt }) => <Ago at={changedAt} />,
          sortBy: ({ changedAt }) => changedAt,
        },
      ]}
    />
  );
}

/** The mean change of the companies, each with the same weight; null unless every item's is known. */
function meanChange(rows: readonly Row[], items: number): number | null {
  const changes = rows.flatMap((row) => numberIn(row, "change_percent") ?? []);
  if (items === 0 || changes.length < items) return null;
  return changes.reduce((sum, change) => sum + change, 0) / changes.length;
}

function NewList() {
  const { isBusy, error, run } = useAction();
  const submit = async (event: FormEvent) => {
    const text = readText(readForm(event), "name");
    await run(async () => open(listPath(await addList(text, []))));
  };
  return (
    <Panel title="New list">
      <form onSubmit={submit}>
        <div class="stack">
          <NameField isTitle label={t("Name")} placeholder={asIs("semis")}>
            <button type="submit" class="primary" disabled={isBusy}>
              {t("Create")}
            </button>
          </NameField>
        </div>
      </form>
      {error !== null && <Failure message={error} />}
    </Panel>
  );
}

type Preview = AnswerTo<"POST list-preview">;

/** What the answers to a question about a file are called, by what is sent. */
const ANSWERS: Readonly<Record<string, Sentence>> = {
  "decimal=point": "Decimal point",
  "decimal=comma": "Decimal comma",
  "date-order=dmy": "Day/month/year",
  "date-order=mdy": "Month/day/year",
  "date-order=ymd": "Year/month/day",
  "count=totals": "The totals count",
  "count=lots": "The lots count",
};

/** A file that can be read in several ways. */
interface Question {
  readonly file: File;
  readonly query: string;
  readonly choices: readonly string[];
}

/** What can be sent in the query instead: `decimal=point` and `decimal=comma`; empty if nothing is known. */
function choicesOf({ details }: ApiError): string[] {
  const { param, allowed }: { param?: unknown; allowed?: unknown } = details;
  return Array.isArray(allowed) ? allowed.map((one) => `${String(param)}=${String(one)}`) : [];
}

/** A file of a broker or another program becomes a list, after the user has seen what was understood. */
function ImportPanel() {
  const { isBusy, error, run } = useAction();
  const [preview, setPreview] = useState<Preview | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const read = (
    file: File | undefined,
    query = new URLSearchParams({ file: file?.name ?? "" }).toString(),
  ) =>
    file &&
    void run(async () => {
      setPreview(null);
      setQuestion(null);
      try {
        setPreview(await request("POST list-preview", { query, file }));
      } catch (failure) {
        const choices = failure instanceof ApiError ? choicesOf(failure) : [];
        if (choices.some((one) => one in ANSWERS)) setQuestion({ file, query, choices });
        throw failure;
      }
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
      {error !== null && <Failure message={question ? error.replace(/: give --.*/, ".") : error} />}
      {question && (
        <div class="buttons">
          {question.choices.map((choice) => (
            <button
              key={choice}
              type="button"
              disabled={isBusy}
              onClick={() => read(question.file, `${question.query}&${choice}`)}
            >
              {translate(ANSWERS[choice] ?? choice)}
            </button>
          ))}
        </div>
      )}
      {preview && <PreviewForm key={preview.name} preview={preview} />}
    </Panel>
  );
}

function PreviewForm({ preview }: { readonly preview: Preview }) {
  const { isBusy, error, run } = useAction();
  const { program, items, notRead } = preview;
  const submit = async (event: FormEvent) => {
    const text = readText(readForm(event), "name");
    const own = items.map(({ item }) => item);
    await run(async () => open(listPath(await addList(text, own))));
  };
  return (
    <form class="stack" onSubmit={submit}>
      <p>
        {t(
          items.length === 1
            ? "{count} instrument found in the {program} file. Nothing is stored yet."
            : "{count} instruments found in the {program} file. Nothing is stored yet.",
          { count: items.length, program },
        )}
      </p>
      {notRead.length > 0 && (
        <p class="not-read">{t("Not read: {columns}.", { columns: formatList(notRead) })}</p>
      )}
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
            {
              title: "Shares",
              isNumber: true,
              cell: ({ item: { shares = null, weight = null } }) =>
                sharesText({ shares }) || weightText({ weight }),
            },
          ]}
        />
      </div>
      <NameField isTitle label={t("Name of the list")} value={preview.name}>
        <button type="submit" class="primary" disabled={isBusy || items.length === 0}>
          {t("Save list")}
        </button>
      </NameField>
      {error !== null && <Failure message={error} />}
    </form>
  );
}

/** What of the file does not become an item or becomes another one, and why. */
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
        <details open>
          <summary>{t("{count} remarks", { count: remarks.length })}</summary>
          <ul class="page-list">
            {remarks.map(({ place, written, reason }) => (
              <li key={`${place} ${written} ${reason}`}>
                {place}: {written}: {reason}.
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
