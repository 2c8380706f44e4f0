import { AlertDelivery } from "#alerts/delivery.ts";
import { createLog } from "#lib/log.ts";
import { OUTSIDE_NETWORK } from "#lib/outside-network.ts";
import { countDelayed, listDueChannels } from "#store/alert-outbox.ts";
import { openAccess } from "#store/index.ts";

// A process that delivers what is due in a data folder, and ends when nothing is left. Its clock is ahead.

const [folder = "", ahead = "0"] = process.argv.slice(2);
const clock = () => Date.now() + Number(ahead);
const access = openAccess(folder);
const delivery = new AlertDelivery({
  access,
  clock,
  log: createLog({ format: "text", write: (line) => process.stderr.write(`${line}\n`), clock }),
  places: { mail: null, networks: ["127.0.0.0/8"] },
  publicUrl: null,
  network: OUTSIDE_NETWORK,
});
const isLeft = () =>
  access.run(listDueChannels(Number.MAX_SAFE_INTEGER, 1)).length > 0 ||
  access.run(countDelayed()) > 0;
while (isLeft()) {
  await delivery.run();
  await Bun.sleep(2);
}
access.close();
