import { listenOn } from "./listening.ts";
import type { ServiceRun } from "./serve.ts";

/** Serves and keeps the market up to date until a stop is requested. */
export async function runService(run: ServiceRun): Promise<void> {
  const { world, config } = run;
  const stopped = new Promise<void>((resolve) => world.onStop(resolve));
  // Checked first: a wrong setting or a port in use must be reported before anything is created or deleted.
  const sources = config.market === "live" ? await import("./live.ts") : null;
  const clients = sources?.createClients(config, sources.worldOf(world)) ?? null;
  const live = sources && clients && { ...sources, clients };
  const listening = await listenOn(config);
  try {
    // Bun collects garbage when a server begins to listen. With all modules loaded, that takes milliseconds.
    const { serveOn } = await import("./serve.ts");
    await serveOn(listening, run, { stopped, live });
  } finally {
    await listening.close();
  }
}
