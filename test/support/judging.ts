import { Judging } from "#alerts/judging.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { UserAlerts } from "#access/user-alerts.ts";
import { UserData } from "#access/user-data.ts";
import type { Alert } from "#domain/alert.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import type { AccessStore, MarketStore } from "#store/index.ts";
import { addUser } from "#store/users.ts";
import { SAMPLE } from "./market.ts";
import { quote } from "./refresher.ts";

/** A time within the session of 25 November 2026 in New York. */
export const AT = Date.parse("2026-11-25T18:00Z");

/** The quote of a stock on the day of `AT`. */
export const quoteAt = (
  symbol: string,
  price: number,
  { date = "2026-11-25", previousClose = 100 } = {},
): RecordOf<"quotes"> => quote(symbol, price, { date, previousClose });

/** The alerts of users on a market and an access store, judged on a clock that the test moves. */
export function openAlerts(
  access: AccessStore,
  market: MarketStore,
  parts: Partial<ConstructorParameters<typeof Judging>[0]> = {},
) {
  const time = { now: AT };
  const clock = () => time.now;
  const lines: string[] = [];
  const line = (...event: unknown[]) => void lines.push(JSON.stringify(event));
  const openWithRollups = () => {
    const rollups = new CompanyRollups(market, clock, { servesPrevious: true });
    const judging = new Judging({
      access,
      market,
      rollups,
      clock,
      stopwatch: () => performance.now(),
      log: { info: line, warn: line, error: line },
      mayJudge: () => true,
      ...parts,
    });
    return { judging, rollups };
  };
  const dataOf = (user: string) => new UserData({ access, clock, user, actor: COMMAND_LINE });
  return {
    time,
    lines,
    /** A process that judges, and knows nothing of earlier ones. */
    open: () => openWithRollups().judging,
    openWithRollups,
    dataOf,
    async addUser(name: string) {
      await access.run(addUser({ name, plan: "free", role: "user", createdAt: AT }));
      return dataOf(name);
    },
    put: <K extends RecordKind>(kind: K, ...records: RecordOf<K>[]) =>
      market.put(kind, records, SAMPLE),
    /** Saves a rule about a share. */
    save: (user: string, alert: Partial<Alert> & Pick<Alert, "name" | "when">) =>
      dataOf(user).save("alert", {
        watch: "US:ACME",
        repeat: "again",
        to: [],
        since: dateOf(time.now),
        ...alert,
      }),
    /** The messages of a user, oldest first: `low 379`. */
    async told(user: string) {
      const messages = await new UserAlerts(access, user).messages({ limit: 1_000 });
      return messages.toReversed().map(({ alert, facts }) => {
        const { kind, figures = [] } = facts as { kind: string; figures?: { value: number }[] };
        return `${alert} ${figures[0]?.value ?? kind}`;
      });
    },
  };
}
