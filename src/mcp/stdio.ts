import { readLines } from "#lib/lines.ts";
import {
  errorMessage,
  type Incoming,
  INVALID_REQUEST,
  JsonRpcError,
  type JsonRpcId,
  MAX_MESSAGE_BYTES,
  parseMessage,
} from "./json-rpc.ts";

/** Requests that are answered at the same time. Beyond it, no more lines are read. */
const MAX_PENDING = 100;

/**
 * Answers one message with the outgoing message as JSON text; null if there is none. `line` is the text
 * of the message.
 */
export type AnswerMessage = (
  incoming: Incoming,
  line: Uint8Array,
) => string | null | Promise<string | null>;

/** A message that is being answered. Without an id, it cannot be cancelled. */
interface Pending {
  readonly id: JsonRpcId | null;
  isCancelled: boolean;
}

/**
 * Serves MCP on a stream of lines until it ends: one JSON-RPC message a line. Answers are written as soon
 * as they are ready, not in the order of the requests. The answer of a cancelled request is not written.
 *
 * @param write writes one line, its newline included
 */
export async function serveLines(
  input: AsyncIterable<Uint8Array>,
  answer: AnswerMessage,
  write: (line: string) => void,
): Promise<void> {
  const pending = new Map<Pending, Promise<void>>();
  const send = (message: string | null) => {
    if (message !== null) write(`${message}\n`);
  };
  for await (const line of readLines(input, MAX_MESSAGE_BYTES)) {
    if (line === null) {
      const text = "Invalid request: the message is larger than 1 MiB.";
      send(errorMessage(null, new JsonRpcError(INVALID_REQUEST, text)));
      continue;
    }
    if (isBlank(line)) continue;
    const incoming = parseMessage(line);
    if (incoming.kind === "silent" && incoming.cancels !== null) {
      for (const one of pending.keys()) one.isCancelled ||= one.id === incoming.cancels;
    }
    const message = answer(incoming, line);
    if (!(message instanceof Promise)) {
      send(message);
      continue;
    }
    const current: Pending = {
      id: incoming.kind === "request" ? incoming.id : null,
      isCancelled: false,
    };
    const work = message
      .then((text) => send(current.isCancelled ? null : text))
      .finally(() => pending.delete(current));
    pending.set(current, work);
    if (pending.size >= MAX_PENDING) await Promise.race(pending.values());
  }
  await Promise.all(pending.values());
}

/** True for an empty line, or one of spaces and carriage returns. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
