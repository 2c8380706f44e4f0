import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { marketLack, type Resource } from "#console/app/api.ts";
import { formatDuration, formatNumber } from "#console/app/format.ts";
import { me } from "#console/app/session.ts";
import { type Sentence, t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { countryName } from "./country.tsx";
import { useMedia } from "./media.ts";
import { usePoll } from "./poll.ts";
import { recordWords } from "./record-words.ts";
import { Until } from "./time.tsx";

type Arrivals = NonNullable<AnswerTo<"GET arrivals">>;
type Kind = Arrivals["kinds"][number];
type Refused = Arrivals["refused"][number];

const POLL_MS = 10_000;
const OVER_POLL_MS = 60_000;

/** The states of records, in the order in which they are shown. */
const STATES: Readonly<Record<Kind["state"], Sentence>> = {
  given: "Here",
  part: "Here in part",
  fetching: "Being fetched",
  waiting: "Still to come",
  refused: "Not given",
  empty: "Without figures",
};

/** What is being fetched, what is whole, and what was refused: one panel for the whole console. */
export function ArrivalsPanel({ of }: { readonly of: Resource<Arrivals | null> }) {
  const [chosen, choose] = useState<boolean | null>(null);
  const isNarrow = useMedia("(max-width: 700px)");
  const { value } = of;
  usePoll(of, value?.isOver ? OVER_POLL_MS : POLL_MS);
  const states = new Set(value?.kinds.map(({ state }) => state));
  const isComing = states.has("waiting");
  const isFetching = isComing || states.has("fetching");
  useEffect(() => {
    marketLack.value = isFetching ? "fetching" : "refused";
    return () => void (marketLack.value = null);
  }, [isFetching]);
  if (value === null) return null;
  const { kinds, refused, faults, secondsLeft, isOver } = value;
  // On a phone it would hide the page.
  const isOpen = chosen ?? (!isNarrow && (isComing || !(isOver || isFetching)));
  const times = refused.flatMap(({ retryAt }) => retryAt ?? []);
  const isAdmin = me.value?.role === "admin";
  return (
    <details
      class="panel arrivals"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => open !== isOpen && choose(open)}
    >
      <summary>
        <b>{headline(kinds, isFetching)}</b>{" "}
        <span class="muted">
          {isFetching && timeLeft(secondsLeft)}
          {!isOpen && t("Details")}
        </span>
      </summary>
      <RecordList kinds={kinds} />
      <Refusals refused={refused} faults={faults} />
      <Keys kinds={kinds} />
      {times.length > 0 && (
        <p class="muted">
          {t("Next attempt")} <Until at={Math.min(...times)} />
        </p>
      )}
      {isAdmin ? (
        <p class="muted">
          <a href="/console/admin?part=sources">{t("All sources")}</a>
        </p>
      ) : (
        refused.length > 0 && <p class="muted">{t("Admins see here what to do about it.")}</p>
      )}
    </details>
  );
}

/** The records by state. */
function RecordList({ kinds }: { readonly kinds: readonly Kind[] }) {
  const states = Object.keys(STATES) as Kind["state"][];
  return (
    <dl style={{ display: "grid", gridTemplateColumns: "auto 1fr", gap: "4px 16px" }}>
      {states
        .map((state) => [state, kinds.filter((one) => one.state === state)] as const)
        .filter(([, own]) => own.length > 0)
        .map(([state, own]) => (
          <Fragment key={state}>
            <dt class="muted">{t(STATES[state])}</dt>
            <dd>
              <Records kinds={own} />
            </dd>
          </Fragment>
        ))}
    </dl>
  );
}

/** The hosts that refuse, those with the same reason together, and the faults of other sources. */
function Refusals({ refused, faults }: Pick<Arrivals, "refused" | "faults">) {
  if (refused.length + faults.length === 0) return null;
  return (
    <ul style={{ padding: "12px 0 0 20px", overflowWrap: "anywhere" }}>
      {[...Map.groupBy(refused, ({ why, toDo }) => `${why} ${toDo}`)].map(([words, hosts]) => (
        <li key={words}>
          <Refusal hosts={hosts} />
        </li>
      ))}
      {faults.map((fault) => (
        <li key={fault}>{fault}.</li>
      ))}
    </ul>
  );
}

function headline(kinds: readonly Kind[], isFetching: boolean): string {
  if (isFetching) return t("This market is being filled from its sources.");
  return kinds.some(({ state }) => state === "refused")
    ? t("Sources refuse or fail, so figures are missing.")
    : t("Sources answer without all figures.");
}

function timeLeft(seconds: number | null): string {
  const words =
    seconds === null
      ? t("Pages fill as figures arrive.")
      : t("Pages fill as figures arrive: about {time} left.", { time: formatDuration(seconds) });
  return `${words} `;
}

/** The records by country; countries with the same records are named together. */
function Records({ kinds }: { readonly kinds: readonly Kind[] }) {
  const countries = Map.groupBy(kinds, ({ country }) => country);
  const texts = Map.groupBy(countries.keys(), (country) =>
    (countries.get(country) ?? []).map(describe).join(", "),
  );
  return (
    <>
      {[...texts].map(([text, codes]) => (
        <div key={text}>
          <b>{codes.map(countryName).join(", ")}</b>: {text}
        </div>
      ))}
    </>
  );
}

function describe({ kind, state, done, total }: Kind): string {
  const words = recordWords(kind);
  if (state !== "fetching" || total < 2) return words;
  const counts = { done: formatNumber(done, 0), total: formatNumber(total, 0) };
  return `${words} (${t("{done} of {total}", counts)})`;
}

/** Hosts that refuse for the same reason: the reason, and what to do. */
function Refusal({ hosts }: { readonly hosts: readonly Refused[] }) {
  const [first] = hosts;
  if (!first) return null;
  return (
    <>
      {[...Map.groupBy(hosts, ({ happened }) => happened)].map(([happened, own], i) => (
        <Fragment key={happened}>
          {i > 0 && ", "}
          <b>{own.map(({ host }) => host).join(", ")}</b> {translate(happened)}
        </Fragment>
      ))}
      : {translate(first.why)}
      {first.toDo !== null && `; ${translate(first.toDo)}`}.
    </>
  );
}

/** The keys with which other sources would give what was refused. */
function Keys({ kinds }: { readonly kinds: readonly Kind[] }) {
  const keys = [...new Set(kinds.flatMap((one) => one.keys))];
  return (
    <>
      {keys.map((key) => (
        <p key={key}>
          {t("With {key}, another source gives:", { key })}{" "}
          <Records kinds={kinds.filter((one) => one.keys.includes(key))} />
        </p>
      ))}
    </>
  );
}
