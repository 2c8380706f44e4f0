// The thread of `PostgresAtOnce`. It answers each message in the shared memory.
import { SQL } from "bun";
import { serialize } from "bun:jsc";
import { parentPort } from "node:worker_threads";
import type { SqlValue, SqlStatement } from "#store/work.ts";
import { DONE, FAILED, HEAD_BYTES } from "./postgres-at-once.ts";

interface Start {
  readonly url: string;
  readonly memory: SharedArrayBuffer;
}

let memory = new SharedArrayBuffer(HEAD_BYTES);
let sql: Bun.SQL | undefined;

function answer(state: number, value: unknown): void {
  const head = new Int32Array(memory, 0, 2);
  const bytes = new Uint8Array(serialize(value));
  new Uint8Array(memory, HEAD_BYTES).set(bytes);
  head[1] = bytes.length;
  Atomics.store(head, 0, state);
  Atomics.notify(head, 0);
}

async function perform(data: Start | SqlStatement): Promise<void> {
  try {
    if ("memory" in data) {
      memory = data.memory;
      sql = new SQL({ url: data.url, max: 1 });
      answer(DONE, null);
      return;
    }
    const names: string[] = [];
    const numbered = data.sql.replace(/\$([A-Za-z]\w*)/g, (_, name: string) => {
      return `$${names.indexOf(name) + 1 || names.push(name)}`;
    });
    const values = names.map((name) => data.values[name] as SqlValue);
    const rows = await sql?.unsafe(numbered, values);
    answer(DONE, { rows: [...rows], changes: rows.count });
  } catch (error) {
    answer(FAILED, error instanceof Error ? error.message : String(error));
  }
}

parentPort?.on("message", (data: Start | SqlStatement) => void perform(data));
