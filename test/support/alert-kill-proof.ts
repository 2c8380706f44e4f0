import { openAccess, openMarket } from "#store/index.ts";
import { UserAlerts } from "#access/user-alerts.ts";
import { openFolder } from "./access.ts";
import { bunCommand, childEnv, spawnChild } from "./child-process.ts";
import { AT, openAlerts, quoteAt } from "./judging.ts";
import { instrument } from "./market.ts";

/** What all processes together did, and what each rule told. */
export interface AlertKillProof {
  readonly kills: number;
  /** The last step: in odd ones the price is 300, in even ones 500. */
  readonly steps: number;
  /** The number of messages of each rule. */
  readonly told: Readonly<Record<string, number>>;
  /** Messages without exactly one delivery to the channel of their user. */
  readonly undelivered: number;
  /** What the processes wrote to stderr. */
  readonly errors: string;
}

/**
 * Runs processes that change a market record by record and judge rules about it. Each is killed at a statement of the
 * access store, and the next one goes on where it ended. The last one ends by itself.
 *
 * @param statementOf the statement at which the process of that number ends
 */
export async function proveAlertKills(
  kills: number,
  statementOf: (process: number) => number,
): Promise<AlertKillProof> {
  using folder = openFolder();
  await prepare(folder.path);
  let killed = 0;
  let errors = "";
  for (let i = 0; i <= kills; i++) {
    const kill = i === kills ? 0 : statementOf(i);
    const worker = `${import.meta.dir}/alert-worker.ts`;
    const child = spawnChild([...bunCommand(worker), folder.path, String(kill), "3"], {
      env: childEnv(),
      stderr: "pipe",
    });
    errors += await new Response(child.stderr).text();
    await child.exited;
    if (child.signalCode === "SIGKILL") killed++;
  }
  return { kills: killed, errors, ...(await read(folder.path)) };
}

async function prepare(folder: string): Promise<void> {
  const access = openAccess(folder);
  const market = openMarket(folder, () => AT);
  const alerts = openAlerts(access, market);
  alerts.put("instruments", instrument("US", "ACME"));
  alerts.put("quotes", quoteAt("ACME", 500));
  const anna = await alerts.addUser("anna");
  await anna.save("channel", { name: "phone", kind: "ntfy", url: "https://n.example/a" });
  await alerts.save("anna", { name: "low", when: "price<380", to: ["phone"] });
  await alerts.save("anna", { name: "once", when: "price<380", to: ["phone"], repeat: "once" });
  const thesis = { text: "Stays high.", while: "price>=400" };
  const items = [{ country: "US" as const, symbol: "ACME", thesis }];
  await anna.save("list", { name: "mine", items });
  await alerts.addUser("ben");
  await alerts.save("ben", { name: "high", when: "price>=400" });
  // The first judgement notes that the price is 500.
  await alerts.open().run();
  market.close();
  access.close();
}

async function read(folder: string) {
  const access = openAccess(folder);
  const market = openMarket(folder, () => AT);
  const price = market.documents.find("quotes", "US", "ACME")?.price ?? 0;
  const told: Record<string, number> = {};
  let undelivered = 0;
  for (const user of ["anna", "ben"]) {
    for (const one of await new UserAlerts(access, user).messages({ limit: 10_000 })) {
      told[one.alert] = (told[one.alert] ?? 0) + 1;
      if (one.deliveries.length !== (user === "anna" ? 1 : 0)) undelivered++;
    }
  }
  market.close();
  access.close();
  return { steps: Math.round((price % 100) * 10_000), told, undelivered };
}
