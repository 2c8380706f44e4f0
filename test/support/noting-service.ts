/** Notes in the folder of its argument that a service runs there, and waits until it is killed. */
import { noteServer } from "#service/servers.ts";

const [folder = "", pid = "1"] = process.argv.slice(2);
noteServer(folder, { pid: Number(pid), url: "http://127.0.0.1:8787", startedAt: 0 });
// The note must stay although nothing refers to what removes it.
Bun.gc(true);
process.stdout.write("noted\n");
setInterval(() => {}, 60_000);
