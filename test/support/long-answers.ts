import { expect } from "bun:test";
import { tokensOf } from "./tokens.ts";
import type { startService } from "./service.ts";

type Service = Awaited<ReturnType<typeof startService>>;
type Result = NonNullable<Awaited<ReturnType<Service["callTool"]>>["result"]>;

/** A cut answer has fewer tokens than that. */
const CUT_TOKENS = 4_300;

const dataOf = ({ structuredContent }: Result) =>
  (structuredContent?.["data"] ?? {}) as Record<string, unknown>;

/** Calls a tool for all rows. A long answer is asked again with as=rows, after its cut form was checked. */
export async function callWhole(
  service: Service,
  token: string,
  name: string,
  args: object,
): Promise<Awaited<ReturnType<Service["callTool"]>>> {
  const answer = await service.callTool(token, name, { ...args });
  const { result } = answer;
  if (!result || !("left_out" in dataOf(result))) return answer;
  const whole = await service.callTool(token, name, { ...args, as: "rows" });
  if (!whole.result) throw new Error(`${name} has no answer with as=rows`);
  expectCut(result, whole.result);
  return whole;
}

/** Checks that an answer has the first and the last rows of the whole one, and says how many others there are. */
export function expectCut(cut: Result, whole: Result): void {
  expect(JSON.parse(cut.content[0]?.text ?? "")).toEqual(cut.structuredContent);
  expect(tokensOf(cut.content[0]?.text ?? "")).toBeLessThan(CUT_TOKENS);
  const { left_out: leftOut, ...shown } = dataOf(cut);
  const { total, of, more } = leftOut as { total: number; of: number; more: string };
  expect(more).toContain("as=rows");
  const counts = new Set<string>();
  compare(shown, dataOf(whole), (left, length) => counts.add(`${left} of ${length}`));
  expect(counts).toContain(`${total} of ${of}`);
}

/** Lists that are no rows, so they are never cut. */
const WHOLE = new Set(["columns", "reasons", "matrix"]);

/** Compares a cut payload with the whole one. @param onCut called with the entries that a list lacks, and its length */
function compare(
  shown: unknown,
  whole: unknown,
  onCut: (left: number, length: number) => void,
): void {
  const isShorter = Array.isArray(shown) && Array.isArray(whole) && shown.length !== whole.length;
  if (isShorter) {
    const half = shown.length / 2;
    expect(shown).toEqual([...whole.slice(0, half), ...whole.slice(-half)]);
    onCut(whole.length - shown.length, whole.length);
  } else if (typeof shown === "object" && shown !== null) {
    const other = whole as Record<string, unknown>;
    expect(Object.keys(shown)).toEqual(Object.keys(other));
    for (const [name, value] of Object.entries(shown))
      if (WHOLE.has(name)) expect(value).toEqual(other[name]);
      else compare(value, other[name], onCut);
  } else expect(shown).toBe(whole as never);
}
