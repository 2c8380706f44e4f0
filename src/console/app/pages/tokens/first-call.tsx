import { useEffect } from "preact/hooks";
import { type Resource, useConsole } from "#console/app/api.ts";
import { usePoll } from "#console/app/parts/poll.ts";
import { formatNumber } from "#console/app/format.ts";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import type { ShownToken } from "./secret.tsx";

const POLL_MS = 4_000;

/** True if the token with that id is listed and was used in a call. */
export function hasCalls(tokens: AnswerTo<"GET tokens"> | null, id: number): boolean {
  // A new token can have the calls of a revoked one.
  return (tokens?.find((one) => one.id === id)?.lastUsedAt ?? null) !== null;
}

/** Says when the first call with a new token has arrived. */
export function FirstCall(props: {
  readonly shown: ShownToken;
  readonly tokens: Resource<AnswerTo<"GET tokens">>;
  /** True if the program lists the tools of MCP first. */
  readonly isAgent: boolean;
}) {
  const { shown, tokens, isAgent } = props;
  const isUsed = hasCalls(tokens.value, shown.id);
  usePoll(tokens, POLL_MS, isUsed);
  return (
    <p class="first-call" role="status">
      {isUsed ? <ArrivedCall shown={shown} /> : <Waiting shown={shown} isAgent={isAgent} />}
    </p>
  );
}

/** What is waited for. An agent that has connected is told apart from one that has not. */
function Waiting({ shown, isAgent }: { readonly shown: ShownToken; readonly isAgent: boolean }) {
  const log = useConsole("GET calls");
  const isConnected =
    log.value?.calls.some(
      ({ tokenId, operation, status }) =>
        tokenId === shown.id && operation === "tools/list" && status < 400,
    ) ?? false;
  usePoll(log, POLL_MS, !isAgent || isConnected);
  if (isConnected) {
    return (
      <>
        <span class="gain">✓</span>
        <span>
          {t(
            "The agent is connected and has the list of tools. Ask it something. Its first call appears here.",
          )}
        </span>
      </>
    );
  }
  return (
    <>
      <span class="waiting" aria-hidden="true" /> {waitingText(shown, isAgent)}
    </>
  );
}

function waitingText({ kind }: ShownToken, isAgent: boolean): string {
  if (kind === "feed") return t("Waiting until a program reads the link for the first time.");
  return isAgent
    ? t("Waiting until the agent connects.")
    : t("Waiting for the first call with this token.");
}

type Call = AnswerTo<"GET calls">["calls"][number];

/** A tool or an operation that the service does not have. */
const UNKNOWN = "unknown";

/** False for a method of MCP, such as ping or tools/list. */
const isCall = ({ via, operation }: Call) =>
  via === "feed" || operation.includes("_") || operation === UNKNOWN;

/** The oldest call with the token that worked, or the oldest that failed; without one in the log, because another server has answered it, only that it came. */
function ArrivedCall({ shown: { id, kind } }: { readonly shown: ShownToken }) {
  const log = useConsole("GET calls");
  const calls = log.value?.calls.filter((call) => call.tokenId === id && isCall(call)) ?? [];
  const good = calls.findLast(({ status }) => status < 400);
  const failed = good ? undefined : calls.at(-1);
  // The page has loaded the log before the call, and after a failure one that works may come.
  useEffect(() => log.reload(), []);
  usePoll(log, POLL_MS, good !== undefined);
  const all = <a href={`/console/log?token=${id}`}>{t("All its calls")}</a>;
  if (failed) {
    return (
      <>
        <span class="loss">✗</span>
        <span>
          {t("The first call with this token failed")}:{" "}
          {failed.operation === UNKNOWN ? t("unknown tool") : <CallName call={failed} />},{" "}
          {t("status {status}", { status: failed.status })}. {all}
        </span>
      </>
    );
  }
  const text =
    kind === "feed" ? "A program has read the link" : "The first call with this token has arrived";
  return (
    <>
      <span class="gain">✓</span>
      <span>
        {t(text)}
        {good && (
          <>
            : <CallName call={good} />, {formatNumber(good.ms, 1)} ms
          </>
        )}
        . {good && t("It works.")} {all}
      </span>
    </>
  );
}

const CallName = ({ call: { operation, subject } }: { readonly call: Call }) => (
  <code>{[operation, subject].join(" ").trim()}</code>
);
