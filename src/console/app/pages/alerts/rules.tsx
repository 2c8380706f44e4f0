import { request } from "#console/app/api.ts";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { formatInstant } from "#console/app/format.ts";
import { symbolPath } from "#console/app/parts/country.tsx";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { showToast } from "#console/app/parts/toast.tsx";
import { Ago } from "#console/app/parts/time.tsx";
import { type Shown, t } from "#console/app/words.ts";
import { AlertForm } from "./form.tsx";
import { type Alert, type Alerts, saveAlert } from "./alerts.ts";

/** The alerts with their states, and the buttons that change them. */
export function AlertTable(props: { readonly known: Alerts; readonly onChanged: () => void }) {
  const { known, onChanged } = props;
  return (
    <DataTable
      label="Alerts"
      rows={known.alerts}
      keyOf={({ name }) => name}
      columns={[
        {
          title: "Alert",
          cell: (alert) => <AlertCell alert={alert} />,
          sortBy: ({ name }) => name,
        },
        {
          title: "State",
          cell: (alert) => <State alert={alert} />,
          sortBy: (alert) => stateOf(alert),
        },
        {
          title: "Last message",
          isExtra: true,
          cell: ({ firedAt }) => (firedAt === null ? t("never") : <Ago at={firedAt} />),
          sortBy: ({ firedAt }) => firedAt,
        },
        {
          title: "Actions",
          cell: (alert) => <Buttons alert={alert} known={known} onChanged={onChanged} />,
        },
      ]}
    />
  );
}

function AlertCell({ alert }: { readonly alert: Alert }) {
  const { name, title, watch, when, repeat, to, quiet } = alert;
  const more = [
    repeat === "once" ? t("only once") : "",
    to.length === 0 ? "" : t("to {channels}", { channels: to.join(", ") }),
    quiet === undefined ? "" : t("quiet {hours}", { hours: quiet }),
  ].filter((text) => text !== "");
  return (
    <>
      <b>{title ?? name}</b>
      <br />
      {watch !== undefined && <a href={watchPath(watch)}>{watch}</a>} <code>{when}</code>
      {more.length > 0 && (
        <>
          <br />
          <small class="muted">{more.join(", ")}</small>
        </>
      )}
    </>
  );
}

/** The page of what is watched. @param watch `US:AAPL`, `list:core` */
function watchPath(watch: string): string {
  const [country = "", symbol = ""] = watch.split(/:(.*)/s);
  return country === "list"
    ? `/console/lists/${encodeURIComponent(symbol)}`
    : symbolPath(country, symbol);
}

/** Whether an alert holds now, and why it is paused. */
function stateOf({ paused, firedTooOften, states, done, watch, when }: Alert): Shown {
  if (firedTooOften) return t("Paused: it fired too often");
  if (paused) return t("Paused");
  const { true: held, unknown } = states;
  const count = held + states.false + unknown;
  if (done > 0 && done === count) return t("Done: it has fired");
  if (!/[<>=]/.test(when)) return t("Waiting");
  if (count === 0) return t("Not judged yet");
  if (watch?.startsWith("list:")) return t("True for {held} of {count}", { held, count });
  return t(held > 0 ? "True now" : unknown > 0 ? "Not known" : "Not true now");
}

function State({ alert }: { readonly alert: Alert }) {
  const { paused, trueSince } = alert;
  return (
    <>
      {stateOf(alert)}
      {!paused && trueSince !== null && (
        <>
          <br />
          <small class="muted">{t("since {time}", { time: formatInstant(trueSince) })}</small>
        </>
      )}
    </>
  );
}

function Buttons(props: {
  readonly alert: Alert;
  readonly known: Alerts;
  readonly onChanged: () => void;
}) {
  const { alert, known, onChanged } = props;
  const { name, paused = false } = alert;
  const remove = async () => {
    await request("DELETE alerts/:name", { param: name });
    onChanged();
  };
  return (
    <div class="buttons">
      <DialogButton text={t("Edit")} title={t("Edit {name}", { name })}>
        {(close) => (
          <AlertForm alert={alert} watch="" known={known} onSaved={onChanged} onCancel={close} />
        )}
      </DialogButton>
      <button
        type="button"
        class="quiet"
        aria-label={t(paused ? "Resume {name}" : "Pause {name}", { name })}
        onClick={() =>
          void saveAlert(name, { paused: !paused }).then(onChanged, (error: Error) =>
            showToast({ text: t("{name} was not changed: {why}", { name, why: error.message }) }),
          )
        }
      >
        {t(paused ? "Resume" : "Pause")}
      </button>
      <ConfirmButton text={t("Delete")} question={t("Delete {name}?", { name })} action={remove}>
        {t("Its messages stay.")}
      </ConfirmButton>
    </div>
  );
}
