/** The thread of the ingest with the clock of `shifted-serve.ts`. */
import { runIngestThread } from "#service/ingest-thread.ts";

const aheadMs = Number(process.env["BENCH_AHEAD_MS"] ?? 0);

const receive = runIngestThread({
  clock: () => Date.now() + aheadMs,
  stopwatch: () => performance.now(),
  post: (message) => postMessage(message),
});
addEventListener("message", ({ data }) => receive(data));
