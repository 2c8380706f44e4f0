import { type Case, type Effort, FEED_CASE, loadOf, measure, tokensForHot } from "./cases.ts";
import type { Contender, Prepared } from "./contenders.ts";
import type { LoadGenerator } from "./load.ts";
import type { HttpResults, Report, Round } from "./report.ts";

/** The name of a program's hot operation in the rounds of the feed. */
export const operationOf = (program: string): string => `${program}, the operation`;

/** The number of fresh tokens that `measureFeed` uses up. */
export const tokensForFeed = (effort: Effort): number => 2 * tokensForHot(effort);

/** A cached answer of a feed against the cached operation, in turn in each round. */
export async function measureFeed(parts: {
  readonly report: Report;
  readonly hot: Case;
  readonly programs: readonly Contender[];
  readonly prepared: Prepared;
  readonly generator: LoadGenerator;
  readonly effort: Effort;
}): Promise<void> {
  const { report, hot, programs, prepared, generator, effort } = parts;
  const results: HttpResults = new Map();
  for (let round = -1; round < effort.rounds; round++) {
    const seconds = round < 0 ? effort.warmUpSeconds : effort.seconds;
    const cases = [hot, FEED_CASE].map((one) => [one, loadOf(one, prepared, seconds)] as const);
    for (const program of programs) {
      for (const [one, load] of cases) {
        const name = one === hot ? operationOf(program.name) : program.name;
        const rounds: Round[] = results.get(name) ?? [];
        const measured = await measure(program, 0, one, load, generator, seconds);
        results.set(name, round < 0 ? rounds : [...rounds, measured]);
      }
    }
  }
  report.addHttp(FEED_CASE.name, results);
}
