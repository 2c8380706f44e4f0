import { useEffect } from "preact/hooks";
import { queryOf, useConsole } from "#console/app/api.ts";
import { newestMessage, seeMessages } from "#console/app/changes.ts";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Ago } from "#console/app/parts/time.tsx";
import { reader } from "#console/app/reader.ts";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

type Message = AnswerTo<"GET alert-messages">[number];

/** The newest messages of alerts. Once they are shown, the bell has no dot. */
export function MessagesPanel() {
  const { language, timeZone } = reader.value;
  const zone = timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const messages = useConsole("GET alert-messages", queryOf({ language, zone }));
  const at = newestMessage.value;
  useEffect(() => {
    if (at > 0) messages.reload();
  }, [at]);
  const [newest] = messages.value ?? [];
  useEffect(() => {
    if (newest) seeMessages(newest.at);
  }, [newest?.at]);
  return (
    <Panel title="Messages">
      <Loaded of={messages}>
        {(list) =>
          list.length === 0 ? (
            <Empty>{t("No alert has sent a message yet.")}</Empty>
          ) : (
            <ol class="page-list">
              {list.map((message) => (
                <MessageItem key={message.id} message={message} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  );
}

function MessageItem({ message }: { readonly message: Message }) {
  const { title, body, link, at, alert, deliveries } = message;
  return (
    <li>
      <a href={link}>
        <b>{title}</b>
      </a>{" "}
      <small class="muted">
        <Ago at={at} />, {alert}
      </small>
      {body.split("\n").map((line) => (
        <div key={line}>{line}</div>
      ))}
      {deliveries
        .filter(({ error }) => error !== null)
        .map(({ channel, state, error }) => (
          <p key={channel} class="muted">
            {t(state === "failed" ? "{channel} failed: {why}" : "{channel} waits: {why}", {
              channel,
              why: translate(error ?? ""),
            })}
          </p>
        ))}
    </li>
  );
}
