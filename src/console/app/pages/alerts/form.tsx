import { useState } from "preact/hooks";
import { asApiError, queryOf, request, useResource } from "#console/app/api.ts";
import { formatInstant } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { nameOf } from "#console/app/parts/document-name.ts";
import { clearField, type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { useLater } from "#console/app/parts/later.ts";
import { showMetric, useVocabulary } from "#console/app/parts/metrics.tsx";
import { Failure } from "#console/app/parts/panel.tsx";
import { SymbolField } from "#console/app/parts/symbol-field.tsx";
import { showToast } from "#console/app/parts/toast.tsx";
import { lists } from "#console/app/user-lists.ts";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { type Alert, type Alerts, saveAlert } from "./alerts.ts";

/** Rules to begin with. */
const EXAMPLES = [
  "price<380",
  "change_percent<-5",
  "rsi<30",
  "pe<pe_5y_median",
  "price>=high_52w",
  "earnings in 1d",
  "ex_date in 2d",
  "statement",
  "rating_change",
  "release CPI JP",
  "brief daily 07:30",
  "brief weekly mon 07:30",
];
/** A pause in typing after which the rule is checked. */
const PAUSE_MS = 400;

/** What a form writes. */
interface Draft {
  readonly watch: string;
  readonly when: string;
}

/** Makes an alert, or changes one. */
export function AlertForm(props: {
  /** The alert that is changed; undefined for a new one. */
  readonly alert?: Alert;
  /** What a new one watches at first; empty for nothing. */
  readonly watch: string;
  readonly known: Alerts;
  readonly onSaved: () => void;
  readonly onCancel?: () => void;
}) {
  const { alert, known, onSaved, onCancel } = props;
  const { isBusy, error, run } = useAction();
  const [watch, setWatch] = useState(alert?.watch ?? props.watch);
  const [when, setWhen] = useState(alert?.when ?? "");
  const submit = async (event: FormEvent) => {
    const form = event.currentTarget;
    const data = readForm(event);
    const name = alert?.name ?? nameFor(readText(data, "title"), { watch, when }, known);
    const body = {
      watch,
      when,
      repeat: data.has("once") ? ("once" as const) : ("again" as const),
      to: data.getAll("to").map(String).join(",") || "none",
      title: readText(data, "title"),
      quiet: readText(data, "quiet") || "none",
    };
    if (!(await run(() => saveAlert(name, body)))) return;
    showToast({ text: t("{name} was saved.", { name }) });
    if (!alert) {
      clearField(form, "title");
      setWhen("");
    }
    onSaved();
    onCancel?.();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <WatchField watch={watch} onChange={setWatch} />
      <WhenField when={when} onChange={setWhen} />
      <Check watch={watch} when={when} saved={alert} />
      <MoreFields alert={alert} />
      <ChannelTicks known={known} ticked={alert?.to} />
      {error !== null && <Failure message={error} />}
      <div class="buttons">
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {t("Cancel")}
          </button>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {t("Save")}
        </button>
      </div>
    </form>
  );
}

function WhenField(props: { readonly when: string; readonly onChange: (when: string) => void }) {
  const { when, onChange } = props;
  return (
    <label>
      {t("Condition or event")}
      <input
        name="when"
        required
        maxLength={300}
        autocomplete="off"
        list="alert-examples"
        placeholder="price<380"
        value={when}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id="alert-examples">
        {EXAMPLES.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}

/** What most alerts leave as it is. */
function MoreFields({ alert }: { readonly alert: Alert | undefined }) {
  return (
    <details>
      <summary>{t("More")}</summary>
      <div class="stack">
        <label>
          {t("Title (optional)")}
          <input name="title" maxLength={120} defaultValue={alert?.title} />
        </label>
        <label>
          {t("Quiet hours (optional)")}
          <input
            name="quiet"
            maxLength={20}
            placeholder="22:00-07:00"
            defaultValue={alert?.quiet}
          />
        </label>
        <label class="tick">
          <input type="checkbox" name="once" defaultChecked={alert?.repeat === "once"} />{" "}
          {t("Only once")}
        </label>
      </div>
    </details>
  );
}

/** A name that no alert of the user has: of the title, or of what is watched and the condition. */
function nameFor(title: string, { watch, when }: Draft, { alerts }: Alerts): string {
  const base =
    nameOf(title || `${watch} ${when}`)
      .slice(0, 34)
      .replace(/-$/, "") || "alert";
  const isTaken = (name: string) => alerts.some((one) => one.name === name);
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!isTaken(name)) return name;
  }
}

/** The instrument or the list that an alert watches. A release watches none. */
function WatchField(props: { readonly watch: string; readonly onChange: (watch: string) => void }) {
  const { watch, onChange } = props;
  if (watch !== "") {
    return (
      <p>
        <b>{watch}</b>{" "}
        <button type="button" class="quiet" onClick={() => onChange("")}>
          {t("Choose again")}
        </button>
      </p>
    );
  }
  return (
    <SymbolField
      label={t("Company or list")}
      onPick={({ country, symbol }) => onChange(`${country}:${symbol}`)}
      choicesOf={(text) =>
        lists.value
          // An empty field would cover the next one with all lists.
          .filter(
            ({ name, title = "" }) =>
              text !== "" && `list:${name} ${title}`.toLowerCase().includes(text.toLowerCase()),
          )
          .map(({ name, title = name }) => ({
            key: name,
            title: `list:${title}`,
            kind: t("List"),
            run: () => onChange(`list:${name}`),
          }))
      }
    />
  );
}

function ChannelTicks(props: {
  readonly known: Alerts;
  readonly ticked?: readonly string[] | undefined;
}) {
  const { channels } = props.known;
  if (channels.length === 0) {
    return (
      <p class="muted">
        {t(
          "Messages appear here and in get_alerts. Add a channel to get them on a phone or by mail.",
        )}
      </p>
    );
  }
  return (
    <fieldset class="ticks">
      <legend>{t("Send to")}</legend>
      {channels.map(({ name }) => (
        <label class="tick" key={name}>
          <input
            type="checkbox"
            name="to"
            value={name}
            defaultChecked={props.ticked?.includes(name) ?? true}
          />{" "}
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** What the rule means, and what its figures are now. It is checked after each pause in typing. */
function Check({ watch, when, saved }: Draft & { readonly saved: Alert | undefined }) {
  const text = useLater(when.trim(), PAUSE_MS, "");
  const query = queryOf({ when: text, watch });
  const check = useResource(text === "" ? null : `GET alert-check ${query}`, async () => {
    try {
      return await request("GET alert-check", { query });
    } catch (thrown) {
      const failure = asApiError(thrown);
      if (failure.mayPass) throw failure;
      return failure.message;
    }
  });
  const { value } = check;
  const isOld = !check.isCurrent || text === "";
  return (
    <div role="status">
      {isOld || value === null ? null : typeof value === "string" ? (
        <p>{translate(value)}</p>
      ) : (
        <Now
          check={value}
          // A rule that is changed begins anew.
          since={value.text === saved?.when && watch === saved.watch ? saved.trueSince : null}
        />
      )}
    </div>
  );
}

function Now(props: {
  readonly check: AnswerTo<"GET alert-check">;
  /** Since when it is known to hold, UTC milliseconds; null if that is not known. */
  readonly since: number | null;
}) {
  const { check, since } = props;
  const metrics = useVocabulary().value?.metrics;
  // Its names and units belong to the figures.
  if (!metrics) return null;
  return (
    <>
      <p class="muted">
        {t("Read as")} <code>{check.text}</code>
      </p>
      {check.now.length > 0 && (
        <p>
          {check.now.map(({ metric, value }, i) => (
            <span key={metric}>
              {i > 0 && ", "}
              {translate(metrics.get(metric)?.title ?? metric)}{" "}
              <b>{showMetric(metrics.get(metric), value, check.currency ?? undefined)}</b>
            </span>
          ))}{" "}
          {t("now")}
          {": "}
          {t(
            check.is === true
              ? "it holds already. A message comes when it holds again after it did not."
              : check.is === false
                ? "it does not hold."
                : "not known yet whether it holds.",
          )}
          {check.is === true && since !== null && (
            <> ({t("since {time}", { time: formatInstant(since) })})</>
          )}
        </p>
      )}
      {check.notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
    </>
  );
}
