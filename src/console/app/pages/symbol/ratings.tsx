import { type Call, useData } from "#console/app/api.ts";
import { formatDate, formatNumber, formatPrice, MISSING } from "#console/app/format.ts";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { NoRecord, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { type Sentence, t, translate, translateTerm } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The technical ratings in three words, and the 26 votes. */
export function RatingsPanel({ subject }: { readonly subject: Subject }) {
  const call: Call<"get_stock_technicals"> = {
    operation: "get_stock_technicals",
    args: { ...subject, votes: true },
  };
  const technicals = useData(call);
  return (
    <Panel
      title="Technical ratings"
      id="ratings"
      calls={[call]}
      answer={technicals.value}
      meaning={t(
        "A rating is buy votes minus sell votes, divided by all votes: above 0.1 it is Buy, above 0.5 Strong buy, below −0.1 Sell, below −0.5 Strong sell, else Neutral. Together is the mean of the other two.",
      )}
    >
      <Loaded of={technicals} lines={6}>
        {({ data }) => <Ratings data={data} />}
      </Loaded>
    </Panel>
  );
}

function Ratings({ data }: { readonly data: PayloadOf<"get_stock_technicals"> }) {
  const rows = data.votes ? rowsOf(data.votes) : [];
  if (rows.length === 0) {
    return <NoRecord>{t("There are too few sessions for ratings: they need 34.")}</NoRecord>;
  }
  const averages = rows.filter((row) => row["group"] === "moving average");
  const oscillators = rows.filter((row) => row["group"] === "oscillator");
  return (
    <>
      <dl class="verdicts">
        <Verdict title="Trend" rating={data["MA rating"]} votes={averages}>
          {t("moving averages")}
        </Verdict>
        <Verdict title="Momentum" rating={data["Os rating"]} votes={oscillators}>
          {t("oscillators")}
        </Verdict>
        <Verdict title="Together" rating={data["Tech rating"]} votes={rows}>
          {t("half each")}
        </Verdict>
      </dl>
      <p class="muted">
        {t("From the daily prices up to {date}.", { date: formatDate(data["Price date"] ?? "") })}
      </p>
      <details class="votes">
        <summary>{t("All {count} votes", { count: rows.length })}</summary>
        <div class="columns">
          <Votes title="Oscillators" rows={oscillators} />
          <Votes title="Moving averages" rows={averages} />
        </div>
      </details>
    </>
  );
}

/** A rating in a word, and how its votes lie. */
function Verdict(props: {
  readonly title: Sentence;
  readonly rating: string | undefined;
  readonly votes: readonly Row[];
  readonly children: string;
}) {
  const { title, rating = MISSING, votes, children } = props;
  const count = (vote: string) => votes.filter((row) => row["vote"] === vote).length;
  return (
    <div>
      <dt>
        {t(title)} <span class="muted">({children})</span>
      </dt>
      <dd class={signOf(rating)}>{translate(rating)}</dd>
      <dd class="muted">
        {t("{buy} buy, {neutral} neutral, {sell} sell", {
          buy: count("buy"),
          neutral: count("neutral"),
          sell: count("sell"),
        })}
      </dd>
    </div>
  );
}

const signOf = (rating: string) =>
  /buy/i.test(rating) ? "gain" : /sell/i.test(rating) ? "loss" : "";

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Votes({ title, rows }: { readonly title: Sentence; readonly rows: readonly Row[] }) {
  const format = title === "Oscillators" ? formatOscillator : formatPrice;
  return (
    <div class="dense">
      <DataTable
        label={title}
        rows={rows}
        keyOf={(row) => textIn(row, "item")}
        columns={[
          { title, cell: (row) => itemText(textIn(row, "item")) },
          { title: "Value", isNumber: true, cell: (row) => format(numberIn(row, "value")) },
          { title: "Vote", cell: (row) => <Vote vote={textIn(row, "vote")} /> },
        ]}
      />
    </div>
  );
}

/** The name of an indicator in the reader's language, before its lengths: `モメンタム (10)`. */
function itemText(item: string): string {
  const [, name = item, rest = ""] = /^(.+?)( \(.+)$/.exec(item) ?? [];
  return translateTerm(name) + rest.replace("of the close", t("of the close"));
}

/** Two decimals, and more for small values, such as the MACD of a currency. */
function formatOscillator(value: number | null): string {
  const isSmall = value !== null && value !== 0 && Math.abs(value) < 0.1;
  return formatNumber(value, isSmall ? 6 : 2);
}

function Vote({ vote }: { readonly vote: string }) {
  if (vote === "") return <span class="muted">{MISSING}</span>;
  const arrow = { buy: "▲", sell: "▼" }[vote] ?? "";
  const sign = { buy: "gain", sell: "loss" }[vote] ?? "muted";
  return (
    <span class={sign}>
      <span aria-hidden="true">{arrow}</span> {translate(capital(vote))}
    </span>
  );
}
