import { expect, test } from "bun:test";
import { type AnswerMessage, serveLines } from "#mcp/stdio.ts";

const request = (id: string | number) => ({ jsonrpc: "2.0", id, method: "tools/call" });
const cancel = (requestId: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason: "timeout" },
});

/** Serves these messages. The request with the id `last` is answered at once, the others after it. */
async function serve(last: string | number, ...messages: object[]): Promise<string[]> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const answer: AnswerMessage = async (incoming) => {
    if (incoming.kind !== "request") return null;
    if (incoming.id === JSON.stringify(last)) release();
    await released;
    return incoming.id;
  };
  const written: string[] = [];
  const lines = messages.map((message) => JSON.stringify(message)).join("\n");
  await serveLines(new Blob([lines]).stream(), answer, (line) => written.push(line));
  return written.sort();
}

test("a cancelled request is not answered, the others are", async () => {
  expect(await serve(3, request(1), request(2), cancel(1), request(3))).toEqual(["2\n", "3\n"]);
});

test.each([["1"], [7], [null], [undefined], [{ id: 1 }]])(
  "a cancellation of %j does not concern request 1",
  async (id) => {
    expect(await serve(2, request(1), cancel(id), request(2))).toEqual(["1\n", "2\n"]);
  },
);
