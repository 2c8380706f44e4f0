import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { seedCluster } from "#ingest/cluster-market.ts";
import type { MarketChange } from "#ingest/changes.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import { createExecutor } from "#operations/execute.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { openMarket } from "#store/index.ts";
import { MarketLog } from "#store/market-log.ts";
import { MarketSnapshots } from "#store/market-snapshots.ts";
import { Postgres } from "#store/postgres.ts";
import { openFolder } from "../support/access.ts";
import { POSTGRES_PARTS } from "../support/cluster-access.ts";
import { type TestNode, TestNodes } from "../support/cluster-node.ts";
import { cutMarket } from "../support/cut-market.ts";
import { answerOf, argumentsOf, DATED, oneOf, randomFrom } from "../support/dated-calls.ts";
import { EVENTFUL_NOW, fillEventful } from "../support/eventful-market.ts";
import { flatBar, stock } from "../support/market.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";
import { TESTS_ALL } from "../support/test-all.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

const DAYS = TESTS_ALL ? 40 : 4;
const CALLS_A_DAY = TESTS_ALL ? 80 : 40;

const TOYOTA = { country: "JP", symbol: "7203" } as const;

/** An answer of the sample's source about a record. */
const answer = <K extends RecordKind>(kind: K, record: RecordOf<K>) =>
  ({
    type: "answer",
    kind,
    country: record.country,
    symbol: null,
    source: "sample",
    at: EVENTFUL_NOW,
    blockedUntil: null,
    isWhole: false,
    isComplete: true,
    covered: null,
    leftOut: 0,
    reason: null,
    rejectedSymbols: [],
    records: [record],
  }) as unknown as MarketChange;

/** What arrives in the log later: a new share, a restatement, a revision, a bar and a split. */
function laterChanges({ market }: TestNode): MarketChange[] {
  const statement = market.statements.list(TOYOTA).at(-1);
  const [series] = market.documents.list("macroSeries", "US");
  if (!statement || !series) throw new Error("The eventful market lacks them.");
  const { source: _ofStatement, storedAt: _statementAt, items, ...period } = statement;
  const { source: _ofSeries, storedAt: _seriesAt, ...figures } = series;
  const restated = { ...period, items: { ...items, revenue: (items.revenue ?? 0) * 1.1 } };
  const [first, ...observations] = figures.observations;
  if (!first) throw new Error(`${figures.id} has no figures.`);
  const revised = [{ ...first, value: first.value + 1 }, ...observations];
  const bars = [flatBar("2026-11-20", 70)];
  const splits = [{ exDate: "2025-03-03", numerator: 2, denominator: 1 }];
  return [
    answer("instruments", stock("US", "LATE")),
    answer("statements", restated),
    answer("macroSeries", { ...figures, observations: revised }),
    answer("bars", { country: "US", symbol: "SPUN", bars }),
    answer("splits", { country: "US", symbol: "COIN", splits }),
  ];
}

describe.skipIf(IS_POSTGRES_MISSING)("a past day on the nodes of a cluster", () => {
  let server: TestPostgres;
  const nodes = new TestNodes();
  beforeAll(async () => void (server = await TestPostgres.start()));
  afterAll(async () => {
    await nodes.endAll();
    await server?.kill();
  });

  /** The first state of a new cluster is the eventful market. */
  async function seed(folder: string): Promise<string> {
    const database = server.url(await server.createDatabase());
    const market = openMarket(folder);
    fillEventful(market);
    market.close();
    const postgres = await Postgres.open(database, POSTGRES_PARTS);
    const marketLog = await MarketLog.open(postgres);
    const snapshots = new MarketSnapshots(postgres, folder);
    await seedCluster({ marketLog, snapshots, dataFolder: folder, origin: "live" });
    await postgres.close();
    return database;
  }

  async function settle(...some: readonly TestNode[]): Promise<void> {
    const { head } = (await some[0]?.marketLog.bounds()) ?? { head: 0 };
    await Promise.all(some.map(({ member }) => member.replica.reach(head)));
  }

  test("has equal answers on each node, on one from a snapshot, and on a cut market", async () => {
    const { path: folder } = openFolder();
    const database = await seed(folder);
    const [one, other] = [await nodes.start(database, { folder }), await nodes.start(database)];
    for (const change of laterChanges(one)) await one.imports.write(change);
    await one.snapshots.save();
    // Its numbers of changes are its own.
    const restored = await nodes.start(database);
    const all = [one, other, restored];
    await settle(...all);
    expect(restored.lines.join()).toContain("begins with a snapshot");
    one.market.checkpoint();
    // The law would be empty if the changes stored nothing.
    const { documents, instruments, statements } = restored.market;
    expect(instruments.find({ country: "US", symbol: "LATE" })).not.toBeNull();
    expect(documents.find("splits", "US", "COIN")?.splits).toHaveLength(1);
    // In Japan, the next day has begun.
    expect(statements.listFiled(TOYOTA).at(-1)?.filedOn).toBe("2026-11-21");

    const clock = () => EVENTFUL_NOW;
    const executors = all.map(({ market }) => createExecutor({ market, clock }));
    const random = randomFrom(20_261_129);
    const days = ["2025-03-02", "2025-03-03", "2026-11-19", "2026-11-20"];
    const span = daysBetween("2021-02-01", "2026-11-19");
    for (let i = 0; i < DAYS; i++) days.push(addDays("2021-02-01", Math.floor(random() * span)));
    for (const day of days) {
      using cut = cutMarket(join(folder, "market.db"), day);
      const ofCut = createExecutor({ market: cut.market, clock });
      for (let i = 0; i < CALLS_A_DAY; i++) {
        const operation = oneOf(random, DATED);
        const asked = { ...argumentsOf(operation, day, random), known_on: day };
        const [first, ...others] = await Promise.all(
          [...executors, ofCut].map((executor) => answerOf(executor, operation, asked)),
        );
        const name = `${operation.name} ${JSON.stringify(asked)}`;
        for (const [k, answer] of others.entries())
          expect(`${k} ${name}\n${answer}`).toBe(`${k} ${name}\n${first}`);
      }
    }
  }, 600_000);
});
