import type { ListAnswers, ListFile } from "#domain/list-file.ts";
import { readListFile } from "#imports/lists/read.ts";

/** The result of work that yields between its parts. */
export function finish<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** What a file with this content names, read on 2026-11-20. */
export function readList(content: string | Uint8Array, answers: ListAnswers = {}): ListFile {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return finish(readListFile("my file.txt", bytes, { today: "2026-11-20", ...answers }));
}

/** A file in short: each item as `symbol ISIN name shares`, each remark as `place written: reason`. */
export function readShort(content: string | Uint8Array, answers: ListAnswers = {}) {
  const { program, items, remarks } = readList(content, answers);
  return {
    program,
    items: items.map(({ symbols, isin, name, shares }) =>
      [symbols.join("|"), isin, name, shares].filter((one) => one !== null && one !== "").join(" "),
    ),
    remarks: remarks.map(({ place, written, reason }) => `${place} ${written}: ${reason}`),
  };
}
