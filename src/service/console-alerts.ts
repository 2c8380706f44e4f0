import { findChannelFault } from "#alerts/channel.ts";
import { ChannelTests } from "#alerts/channel-tests.ts";
import type { Config } from "#config.ts";
import type { AlertParts } from "#http/console-endpoint.ts";
import { OUTSIDE_NETWORK } from "#lib/outside-network.ts";
import { notesOn, saveWrittenAlert } from "#operations/alerts/written-alert.ts";
import type { MarketStore } from "#store/index.ts";

/** A receiver that hangs is named before the answer of the console is late. */
const PART_OF_ANSWER = 0.8;

/**
 * What the console's page of alerts needs of the market and the network.
 *
 * @param answerMs how long an answer may take, in milliseconds
 */
export function createConsoleAlerts(
  market: MarketStore,
  { alerts: places, publicUrl }: Pick<Config, "alerts" | "publicUrl">,
  clock: () => number,
  answerMs: number,
): AlertParts {
  const network = OUTSIDE_NETWORK;
  const timeoutMs = answerMs * PART_OF_ANSWER;
  const tests = new ChannelTests({ clock, places, publicUrl, network, timeoutMs });
  return {
    save: (written, own) => saveWrittenAlert(written, { market, own, now: clock() }),
    notesOn: (rule, watch) => notesOn(rule, watch, { market, now: clock() }),
    faultOf: (channel) => findChannelFault(channel, places),
    test: (user, channel, settings) => tests.test(user, channel, settings),
  };
}
