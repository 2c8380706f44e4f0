import { findChannelFault } from "#alerts/channel.ts";
import { ChannelTests } from "#alerts/channel-tests.ts";
import type { Config } from "#config.ts";
import type { AlertParts } from "#http/console-endpoint.ts";
import { OUTSIDE_NETWORK } from "#lib/outside-network.ts";
import { saveWrittenAlert } from "#operations/alerts/written-alert.ts";
import type { MarketStore } from "#store/index.ts";

/** What the console's page of alerts needs of the market and the network. */
export function createConsoleAlerts(
  market: MarketStore,
  { alerts: places, publicUrl }: Pick<Config, "alerts" | "publicUrl">,
  clock: () => number,
): AlertParts {
  const tests = new ChannelTests({ clock, places, publicUrl, network: OUTSIDE_NETWORK });
  return {
    save: (written, own) => saveWrittenAlert(written, { market, own, now: clock() }),
    faultOf: (channel) => findChannelFault(channel, places),
    test: (user, channel, settings) => tests.test(user, channel, settings),
  };
}
