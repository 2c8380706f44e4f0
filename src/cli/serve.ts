import { SETTING_NAMES } from "#config.ts";
import { type Command, settingsOf } from "./command.ts";

export const serve: Command = {
  name: "serve",
  summary: "Run the service",
  flags: {
    "reset-market": { description: "delete the market file first, imports included" },
    "no-open": { description: "do not open the console in the browser on the first start" },
  },
  examples: ["", "--market live --contact you@example.com"],
  settings: SETTING_NAMES,
  async run(invocation) {
    const { runService } = await import("#service/start.ts");
    await runService({
      world: invocation.io,
      config: invocation.config,
      readSettings: () => settingsOf(invocation),
      reset: invocation.flags["reset-market"] === true,
      opens: invocation.flags["no-open"] !== true,
    });
  },
};
