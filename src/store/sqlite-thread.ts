/** The script of the thread. It is a text, not a file, so that it is part of the compiled program. */
const scriptFor = (path: string, statements: readonly string[]): string => `
  import { Database } from "bun:sqlite";
  try {
    const database = new Database(${JSON.stringify(path)}, { readwrite: true, create: false });
    for (const statement of ${JSON.stringify(statements)}) database.run(statement);
    database.close();
    postMessage(null);
  } catch (error) {
    postMessage(String(error));
  }`;

/**
 * Runs statements on a database file in a separate thread and on a connection of their own, because they
 * would block this thread. Resolves when the thread has ended: with null, or with the first error.
 */
export async function runInThread(
  path: string,
  statements: readonly string[],
): Promise<string | null> {
  const script = scriptFor(path, statements);
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(url, { smol: true });
  let failure: string | null = "The thread ended early.";
  const ended = new Promise<void>((resolve) => {
    worker.addEventListener("message", ({ data }) => void (failure = data as string | null));
    worker.addEventListener("error", ({ message }) => {
      failure = message;
      resolve();
    });
    worker.addEventListener("close", () => resolve());
  });
  await ended;
  URL.revokeObjectURL(url);
  return failure;
}
