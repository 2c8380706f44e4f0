import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { decodeTableCall, readWholeTable } from "#operations/csv-link.ts";
import type { CachedAnswer, Executor } from "#operations/execute.ts";
import { defineOperation, type Operation } from "#operations/operation.ts";

/** A series of five days in pages of at most two rows, which lead back in time. */
const DAYS = ["01", "02", "03", "04", "05"];
const series = defineOperation({
  name: "get_days",
  set: "prices",
  title: "Days",
  description: "Days.",
  path: "/data/days",
  input: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 2, default: 1 })),
    before: Type.Optional(Type.String()),
  }),
  output: Type.Object({ days: Type.Array(Type.String()) }),
  handle: () => ({ data: { days: [] }, from: [] }),
  table: ({ days }) => ({
    columns: ["day"],
    rows: days.map((day) => [day]),
    total: DAYS.length,
    next: days[0] === "01" ? null : { before: String(days[0]) },
  }),
}) as unknown as Operation;

test("the pages of a series are put in the order of time; a limit is obeyed", async () => {
  const executor: Executor = {
    counts: { executed: 0, computed: 0 },
    execute({ input }) {
      const { before = "99", limit = 1 } = input as { before?: string; limit?: number };
      const days = DAYS.filter((day) => day < before).slice(-limit);
      return { body: JSON.stringify({ data: { days } }) } as CachedAnswer;
    },
  };
  const read = async (args: object) =>
    (await readWholeTable(executor, decodeTableCall(series, { ...args }))).table.rows.flat();
  expect(await read({})).toEqual(DAYS);
  expect(await read({ before: "03" })).toEqual(DAYS);
  expect(await read({ limit: 2 })).toEqual(["04", "05"]);
});
