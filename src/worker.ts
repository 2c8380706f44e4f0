/** The thread that writes the market of a running service and computes many companies. */
import { runIngestThread } from "#service/ingest-thread.ts";

const receive = runIngestThread({
  clock: Date.now,
  stopwatch: () => performance.now(),
  post: (message) => postMessage(message),
});
addEventListener("message", ({ data }) => receive(data));
