import { useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { usePoll } from "#console/app/parts/poll.ts";
import { Ago } from "#console/app/parts/time.tsx";
import { type Sentence, t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

type Connection = AnswerTo<"GET connection">;
type Finding = Connection["findings"][number];

/** A check takes some seconds, and a client sends several requests a second. */
const POLL_MS = 2_000;

/** Names of the checks, in the words of people who set up a connection. */
const NAMES: Readonly<Record<string, Sentence>> = {
  address: "Address",
  name: "Name in the DNS",
  port: "Port",
  certificate: "Certificate",
  service: "Service",
  host: "Host and sign-in",
  stream: "Streams",
  oauth: "Metadata of OAuth",
  registration: "Registration and consent",
  challenge: "Request for a token",
  agents: "Firewall",
  authorization: "Token",
  mcp: "Handshake of MCP",
  client: "Client",
};

/** The check of how clients elsewhere reach this service, and their requests as they arrive. For admins. */
export function ConnectionPanel() {
  const [isStarted, setStarted] = useState(false);
  const { isBusy, error, run } = useAction();
  const check = () =>
    run(async () => {
      await request("POST connection");
      setStarted(true);
    });
  return (
    <Panel title="Does a client reach this service?" id="connection">
      <p class="muted">
        {t(
          "Calls the public address as claude.ai and ChatGPT do, from the name to MCP, and says what to do. Then it shows the requests of clients as they arrive.",
        )}
      </p>
      <div>
        <button type="button" class="primary" disabled={isBusy} onClick={() => void check()}>
          {t(isStarted ? "Check again" : "Check the connection")}
        </button>
      </div>
      {error !== null && <Failure message={error} />}
      {isStarted && <Results />}
    </Panel>
  );
}

function Results() {
  const connection = useConsole("GET connection");
  usePoll(connection, POLL_MS);
  return (
    <Loaded of={connection} lines={6}>
      {(info) => (
        <>
          <ul class="findings" aria-live="polite">
            {info.findings.map((finding) => (
              <FindingItem key={finding.check} finding={finding} />
            ))}
          </ul>
          {info.url !== null && <Progress info={info} />}
          {info.requests.length > 0 && (
            <DataTable
              label="Requests of clients"
              columns={COLUMNS}
              rows={info.requests.toReversed()}
              keyOf={({ id }) => id}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

const MARKS: Readonly<Record<Finding["level"], readonly [mark: string, style: string]>> = {
  ok: ["✓", "gain"],
  warning: ["!", "loss"],
  failed: ["✗", "loss"],
};

function FindingItem({ finding: { check, level, text } }: { readonly finding: Finding }) {
  const [mark, style] = MARKS[level];
  return (
    <li>
      <span class={style}>{mark}</span>
      <div>
        <b>{translate(NAMES[check] ?? check)}:</b> {text}
      </div>
    </li>
  );
}

/** What is still going on, or how far a client came. */
function Progress({ info }: { readonly info: Connection }) {
  if (!info.isRunning && info.client) {
    return (
      <ul class="findings">
        <FindingItem finding={info.client} />
      </ul>
    );
  }
  return (
    <p class="first-call" role="status">
      <span class="waiting" aria-hidden="true" />{" "}
      {t(
        info.isRunning
          ? "Checking…"
          : "Connect the client now: its requests appear here. Nothing has arrived yet.",
      )}
    </p>
  );
}

const COLUMNS: readonly Column<Connection["requests"][number]>[] = [
  { title: "When", cell: ({ at }) => <Ago at={at} /> },
  {
    title: "Request",
    cell: ({ method, path, operation }) => (
      <code>{[method, path, operation].filter(Boolean).join(" ")}</code>
    ),
  },
  { title: "Status", cell: ({ status }) => status, isNumber: true },
  { title: "Program", cell: ({ agent }) => agent, isExtra: true },
];
