// A process of its own that counts three keys in a shared memory, and prints how many it counted of
// each. Usage: bun count-worker.ts FILE
import { createWindowCounters } from "#lib/window-counters.ts";

const memory = Bun.mmap(process.argv[2] ?? "", { shared: true }).buffer;
const counters = createWindowCounters(memory, 1);
const counted = [0, 0, 0];
for (let i = 0; i < 900; i++) {
  for (const key of counted.keys()) {
    if (counters.count(`key ${key}`, 5, 1_000)) counted[key] = (counted[key] ?? 0) + 1;
  }
}
process.stdout.write(JSON.stringify(counted));
