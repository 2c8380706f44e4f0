/** The thread of the ingest, which ends unexpectedly while it stores an answer, in the way that `TEST_CRASH` names. */
import { runIngestThread } from "#service/ingest-thread.ts";
import { FetchStore } from "#store/fetches.ts";

const CRASHES: Readonly<Record<string, () => void>> = {
  exit: () => process.exit(3),
  error() {
    setTimeout(() => {
      throw new Error("a played error");
    });
  },
  rejection() {
    void Promise.reject(new Error("a played rejection"));
  },
};

let crash = () => {};
// It is called in the transaction that stores an answer, after its records.
const recordSuccess = Reflect.get(FetchStore.prototype, "recordSuccess") as () => void;
FetchStore.prototype.recordSuccess = function (...args) {
  crash();
  Reflect.apply(recordSuccess, this, args);
};

const receive = runIngestThread({
  clock: Date.now,
  stopwatch: () => performance.now(),
  post: (message) => postMessage(message),
});
addEventListener("message", ({ data }: { data: { name?: string; args?: unknown[] } }) => {
  if (data.name === "open") {
    const [{ env }] = data.args as [{ env: Record<string, string> }];
    crash = CRASHES[env["TEST_CRASH"] ?? ""] ?? crash;
  }
  receive(data);
});
