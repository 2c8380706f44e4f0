import { readLines } from "#lib/lines.ts";
import { errorMessage, INVALID_REQUEST, JsonRpcError } from "./json-rpc.ts";

/** The same limit as over HTTP. */
const MAX_LINE_BYTES = 2 ** 20;
/** Requests that are answered at the same time. Beyond it, no more lines are read. */
const MAX_PENDING = 100;

/** Answers one message with the outgoing message as JSON text; null if there is none. */
export type AnswerMessage = (message: Uint8Array) => string | null | Promise<string | null>;

/**
 * Serves MCP on a stream of lines until it ends: one JSON-RPC message a line. Answers are written as soon
 * as they are ready, not in the order of the requests.
 *
 * @param write writes one line, its newline included
 */
export async function serveLines(
  input: AsyncIterable<Uint8Array>,
  answer: AnswerMessage,
  write: (line: string) => void,
): Promise<void> {
  const pending = new Set<Promise<void>>();
  const send = (message: string | null) => {
    if (message !== null) write(`${message}\n`);
  };
  for await (const line of readLines(input, MAX_LINE_BYTES)) {
    if (line === null) {
      const text = "Invalid request: the message is larger than 1 MiB.";
      send(errorMessage(null, new JsonRpcError(INVALID_REQUEST, text)));
      continue;
    }
    if (isBlank(line)) continue;
    const message = answer(line);
    if (!(message instanceof Promise)) {
      send(message);
      continue;
    }
    const work = message.then(send).finally(() => pending.delete(work));
    pending.add(work);
    if (pending.size >= MAX_PENDING) await Promise.race(pending);
  }
  await Promise.all(pending);
}

/** True for an empty line, or one of spaces and carriage returns. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
