// A process that opens the access and the market file of one folder after the other, each at a
// given time, so that several processes create the same files at once. It writes errors to stdout.
//
// Usage: bun store-opener.ts START_AT FOLDER…
import { openAccess, openMarket } from "#store/index.ts";

const [startAt, ...folders] = process.argv.slice(2);
for (const [i, folder] of folders.entries()) {
  const moment = Number(startAt) + i * 25;
  while (Date.now() < moment);
  try {
    const access = openAccess(folder);
    openMarket(folder).close();
    access.close();
  } catch (error) {
    process.stdout.write(`${folder}: ${String(error)}\n`);
  }
}
