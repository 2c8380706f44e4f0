import { runService } from "#service/serve.ts";
import { type Command, settingsOf } from "./command.ts";

export const serve: Command = {
  name: "serve",
  summary: "Run the service",
  flags: {
    "reset-market": { description: "delete the market file first, imports included" },
    "no-open": { description: "do not open the console in the browser on the first start" },
  },
  examples: ["", "--market live --contact you@example.com"],
  settings: [
    "host",
    "port",
    "data",
    "cluster",
    "market",
    "contact",
    "sources",
    "trusted-proxies",
    "public-url",
    "insecure-sign-in",
    "gate-per-minute",
    "plan-free",
    "plan-pro",
    "plan-max",
    "log",
    "log-level",
    "access-log",
    "backup-every",
    "backup-keep",
    "backup-folder",
    "backup-command",
    "export-every",
    "export-keep",
    "metrics",
    "updates",
    "updates-url",
    "updates-key",
  ],
  run: (invocation) =>
    runService({
      world: invocation.io,
      config: invocation.config,
      readSettings: () => settingsOf(invocation),
      reset: invocation.flags["reset-market"] === true,
      opens: invocation.flags["no-open"] !== true,
    }),
};
