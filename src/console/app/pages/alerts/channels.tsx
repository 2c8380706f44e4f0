import { useState } from "preact/hooks";
import { request } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { CopyButton } from "#console/app/parts/code-block.tsx";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { nameOf } from "#console/app/parts/document-name.ts";
import { clearField, type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { NameField } from "#console/app/parts/name-field.tsx";
import { Failure, Panel } from "#console/app/parts/panel.tsx";
import { asIs, type Sentence, t, translate } from "#console/app/words.ts";
import type { Alerts } from "./alerts.ts";

type Channel = Alerts["channels"][number];
type Kind = Channel["kind"];

/** What each kind is called, and what it needs. */
const KINDS: Readonly<Record<Kind, { readonly title: Sentence; readonly example: string }>> = {
  ntfy: { title: "ntfy (phone)", example: "https://ntfy.sh/my-topic" },
  webhook: { title: "Webhook", example: "https://example.com/hook" },
  mail: { title: "Mail", example: "anna@example.com" },
};

/** A webhook's secret, which is shown once. */
interface Made {
  readonly name: string;
  readonly secret: string;
}

/** Where messages are sent. */
export function ChannelsPanel(props: {
  readonly channels: Alerts["channels"];
  readonly onChanged: () => void;
}) {
  const { channels, onChanged } = props;
  const [made, setMade] = useState<Made | null>(null);
  return (
    <Panel title="Channels">
      {channels.length > 0 && (
        <ul class="page-list">
          {channels.map((channel) => (
            <ChannelItem key={channel.name} channel={channel} onChanged={onChanged} />
          ))}
        </ul>
      )}
      {made && <ShownSecret made={made} />}
      <details open={channels.length === 0}>
        <summary>{t("Add a channel")}</summary>
        <NewChannel
          onSaved={(saved) => {
            setMade(saved);
            onChanged();
          }}
        />
      </details>
    </Panel>
  );
}

function ChannelItem(props: { readonly channel: Channel; readonly onChanged: () => void }) {
  const { channel, onChanged } = props;
  const { name, kind, where, stopped } = channel;
  const { isBusy, error, run } = useAction();
  const [said, setSaid] = useState<string | null>(null);
  const test = () =>
    run(async () => {
      setSaid(null);
      const outcome = await request("POST channels/:name/test", { param: name });
      setSaid(
        outcome.isSent
          ? t("The test was sent: {said}", { said: outcome.said })
          : t("The test failed: {said}", { said: outcome.said }),
      );
    });
  const remove = async () => {
    await request("DELETE channels/:name", { param: name });
    onChanged();
  };
  return (
    <li>
      <b>{name}</b>{" "}
      <span class="muted">
        {translate(KINDS[kind].title)}, {where}
      </span>{" "}
      <button
        type="button"
        class="quiet"
        disabled={isBusy}
        aria-label={t("Test {name}", { name })}
        onClick={() => void test()}
      >
        {t("Test")}
      </button>
      <ConfirmButton text={t("Delete")} question={t("Delete {name}?", { name })} action={remove}>
        {t("Alerts send nothing to it any more.")}
      </ConfirmButton>
      {stopped !== undefined && (
        <p class="muted">{t("Stopped: its receiver said that it is gone. Save it again.")}</p>
      )}
      <p role="status" class="muted">
        {said}
      </p>
      {error !== null && <Failure message={error} />}
    </li>
  );
}

function NewChannel({ onSaved }: { readonly onSaved: (made: Made | null) => void }) {
  const { isBusy, error, run } = useAction();
  const [kind, setKind] = useState<Kind>("ntfy");
  const [count, setCount] = useState(0);
  const submit = async (event: FormEvent) => {
    const form = event.currentTarget;
    const data = readForm(event);
    const name = nameOf(readText(data, "name"));
    const [place, secret] = [readText(data, "place").trim(), readText(data, "secret").trim()];
    const body = {
      kind,
      ...(kind === "mail" ? { address: place } : { url: place }),
      ...(secret !== "" && { secret }),
    };
    await run(async () => {
      const saved = await request("PUT channels/:name", { param: name, body });
      for (const field of ["place", "secret"]) clearField(form, field);
      setCount(count + 1);
      onSaved(saved.secret === null ? null : { name: saved.name, secret: saved.secret });
    });
  };
  return (
    <form class="stack" onSubmit={submit}>
      <label>
        {t("Kind")}
        <select
          value={kind}
          onChange={({ currentTarget: { value } }) =>
            setKind(value === "mail" || value === "webhook" ? value : "ntfy")
          }
        >
          {(Object.keys(KINDS) as Kind[]).map((one) => (
            <option key={one} value={one}>
              {translate(KINDS[one].title)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t(kind === "mail" ? "Mailbox" : "Address")}
        <input
          name="place"
          required
          autocomplete="off"
          inputMode={kind === "mail" ? "email" : "url"}
          placeholder={KINDS[kind].example}
        />
      </label>
      {kind !== "mail" && (
        <label>
          {t(
            kind === "ntfy"
              ? "Token of ntfy (optional)"
              : "Secret (optional; bourse makes one without it)",
          )}
          <input name="secret" type="password" autocomplete="off" maxLength={200} />
        </label>
      )}
      <NameField key={count} label={t("Name")} placeholder={asIs("phone")}>
        <button type="submit" class="primary" disabled={isBusy}>
          {t("Add")}
        </button>
      </NameField>
      {error !== null && <Failure message={error} />}
    </form>
  );
}

/** The secret with which a receiver checks signatures. */
function ShownSecret({ made: { name, secret } }: { readonly made: Made }) {
  return (
    <div class="new-token" role="status">
      <p>
        <b>{name}</b>: {t("The secret of its signatures. Copy it now. It is not shown again.")}
      </p>
      <div class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} label="Copy" />
      </div>
    </div>
  );
}
