import { chooseSecret, findChannelFault } from "#alerts/channel.ts";
import { ChannelTests } from "#alerts/channel-tests.ts";
import { requireDocument, type UserData } from "#access/user-data.ts";
import { showChannel } from "#access/user-alerts.ts";
import { type Channel, CHANNEL_KINDS } from "#domain/alert.ts";
import { invalidArgument, unavailable } from "#domain/errors.ts";
import { slugOf } from "#domain/user-list.ts";
import { OUTSIDE_NETWORK } from "#lib/outside-network.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { formatTable } from "#lib/table.ts";
import { saveWrittenAlert } from "#operations/alerts/written-alert.ts";
import { parseChoice, type Command, type Flag, type Invocation } from "./command.ts";
import { deleteCommand, withUserData } from "./list.ts";
import { readyMarket } from "./market.ts";
import { readFirstLine, readSecrets } from "./secret-prompt.ts";
import { withMarket } from "./stores.ts";

const USER_FLAG: Readonly<Record<"user", Flag>> = {
  user: { value: "USER", description: "whose alerts and channels (default: the oldest admin)" },
};

const ALERT_COLUMNS = "NAME,WATCH,WHEN,REPEAT,TO,PAUSED,TITLE".split(",");

export const alertList: Command = {
  name: "alert list",
  summary: "List the alerts of a user",
  flags: USER_FLAG,
  examples: ["", "--user anna --json"],
  settings: ["data", "cluster"],
  report: (invocation) =>
    withUserData(invocation, async (data, user) => {
      // An unknown user is named.
      await data.list("alert");
      const alerts = await data.alerts.list();
      const rows = alerts.map(({ name, watch = null, when, repeat, to, paused, title = null }) => [
        name,
        watch,
        when,
        repeat,
        to.join(","),
        paused ? "yes" : null,
        title,
      ]);
      const none = `${user} has no alert yet; \`alert save\` makes one.\n`;
      return { json: alerts, text: rows.length > 0 ? formatTable(ALERT_COLUMNS, rows) : none };
    }),
};

export const alertSave: Command = {
  name: "alert save",
  operands: "NAME",
  summary: "Save an alert of a user; what is left out stays",
  flags: {
    ...USER_FLAG,
    watch: { value: "SYMBOL", description: "a symbol, or list:NAME" },
    when: {
      value: "RULE",
      description: "price<380, earnings in 1d, statement, release CPI JP, brief daily 07:30, …",
    },
    repeat: { value: "once|again", description: "once, or again after it was not true" },
    to: { value: "CHANNELS", description: "names of channels, separated by commas, or none" },
    title: { value: "TEXT", description: "words of your own, or none" },
    quiet: { value: "HOURS", description: "22:00-07:00 in the time zone of the user, or none" },
    paused: { value: "yes|no", description: "yes pauses it" },
  },
  examples: [
    "cheap-apple --watch US:AAPL --when 'price<180'",
    "report --watch list:mine --when 'earnings in 1d' --repeat again",
    "cheap-apple --paused yes",
  ],
  settings: ["data", "cluster"],
  report: (invocation) =>
    withUserData(invocation, async (data, user) => {
      const { io, config, operands, flags } = invocation;
      await data.list("alert");
      const textOf = (name: string) =>
        flags[name] === undefined ? undefined : String(flags[name]);
      const { repeat, paused } = flags;
      const now = io.clock();
      const { alert, isNew, notes } = await withMarket(config, (market) => {
        readyMarket(market, config.market, now);
        const written = {
          name: operands[0] ?? "",
          watch: textOf("watch"),
          when: textOf("when"),
          to: textOf("to"),
          title: textOf("title"),
          quiet: textOf("quiet"),
          ...(repeat !== undefined && {
            repeat: parseChoice("repeat", repeat, ["once", "again"] as const),
          }),
          ...(paused !== undefined && {
            paused: parseChoice("paused", paused, ["yes", "no"] as const) === "yes",
          }),
        };
        return saveWrittenAlert(written, { market, own: data, now });
      });
      const verb = isNew ? "Saved" : "Changed";
      const said = [`${verb} the alert ${alert.name} of ${user}.`, ...notes].join(" ");
      return { json: { user, ...alert }, note: `${said}\n` };
    }),
};

export const alertDelete = deleteCommand("alert", USER_FLAG, "cheap-apple");

/** A running service sends the messages, so its networks count. */
const OF_CHANNELS = { settings: ["alert-networks"], keys: false } as const;

export const channelList: Command = {
  name: "channel list",
  summary: "List the channels to which a user's alerts go",
  flags: USER_FLAG,
  examples: ["", "--user anna"],
  settings: ["data", "cluster"],
  report: (invocation) =>
    withUserData(invocation, async (data, user) => {
      await data.list("channel");
      const channels = await data.alerts.channels();
      const rows = channels.map(({ name, kind, where, stopped = null }) => [
        name,
        kind,
        where,
        stopped,
      ]);
      const none = `${user} has no channel yet; \`channel save\` makes one.\n`;
      const text = formatTable(["NAME", "KIND", "TO", "STOPPED"], rows);
      return { json: channels, text: rows.length > 0 ? text : none };
    }),
};

export const channelSave: Command = {
  name: "channel save",
  operands: "NAME",
  summary: "Save a channel for alerts: a webhook, a topic of ntfy or a mailbox",
  flags: {
    ...USER_FLAG,
    kind: { value: CHANNEL_KINDS.join("|"), description: "what it is" },
    url: { value: "URL", description: "of a webhook, or of a topic of ntfy" },
    address: { value: "MAIL", description: "of a mailbox" },
    secret: {
      value: "-",
      description:
        "read a secret from stdin, or typed: whsec_… of a webhook (made if left out), the token of ntfy; a saved one is kept without it",
    },
  },
  examples: [
    "phone --kind ntfy --url https://ntfy.sh/my-topic",
    "phone --kind ntfy --url https://ntfy.example.com/my-topic --secret -",
    "robot --kind webhook --url https://example.com/hook",
    "mail --kind mail --address anna@example.com",
  ],
  settings: ["data", "cluster", "mail", "mail-from", "alert-networks"],
  ofService: OF_CHANNELS,
  report: (invocation) =>
    withUserData(invocation, async (data, user) => {
      const { config, operands, flags } = invocation;
      const name = slugOf(operands[0] ?? "");
      const kind = parseChoice("kind", flags["kind"], CHANNEL_KINDS);
      const given = ["url", "address"].flatMap((flag) =>
        flags[flag] === undefined ? [] : [[flag, String(flags[flag])] as const],
      );
      const isKnown = (await data.list("channel")).some((one) => one.name === name);
      const before = isKnown ? (await data.get("channel", name)).value : null;
      const written = await readSecret(invocation, name);
      const { secret, isMade } = chooseSecret({ kind, ...written }, before);
      const channel = requireDocument("channel", {
        name,
        kind,
        ...(secret !== undefined && { secret }),
        ...Object.fromEntries(given),
      });
      const fault = findChannelFault(channel, config.alerts);
      if (fault !== null) throw invalidArgument(fault, hintOnMail(kind, config));
      await data.save("channel", channel);
      const isKept = secret !== undefined && !isMade && written === null;
      return {
        json: { user, ...showChannel(channel), ...(isMade && { secret }) },
        text: isMade ? `Its secret, shown once: ${secret}\n` : "",
        note: `Saved the channel ${name} of ${user}${isKept ? " with its earlier secret" : ""}.\n`,
      };
    }),
};

/**
 * The secret that is typed on a terminal, else the first line of stdin; null without `--secret`. It is no argument, because
 * every user of the machine can see arguments.
 */
async function readSecret(
  { io, flags }: Invocation,
  name: string,
): Promise<{ readonly secret: string } | null> {
  const { secret } = flags;
  if (secret === undefined) return null;
  const how = `Write it to stdin: \`${PROGRAM} channel save ${name} --secret - < FILE\`.`;
  if (secret !== "-")
    throw invalidArgument(`Other users of the machine can see a secret in a command. ${how}`);
  const terminal = io.openTerminal?.();
  const prompt = `Secret of ${name} (not shown): `;
  const [line = ""] = terminal
    ? await readSecrets([prompt], terminal, io.stderr)
    : [await readFirstLine(io.stdin?.())];
  if (line !== "") return { secret: line };
  throw invalidArgument(`The secret is empty. ${how}`);
}

export const channelTest: Command = {
  name: "channel test",
  operands: "NAME",
  summary: "Send a test message to a channel",
  flags: USER_FLAG,
  examples: ["phone", "phone --user anna"],
  settings: ["data", "cluster", "public-url", "mail", "mail-from", "alert-networks"],
  ofService: OF_CHANNELS,
  report: (invocation) =>
    withUserData(invocation, async (data, user) => {
      const { io, config, operands } = invocation;
      const { value } = await data.get("channel", operands[0] ?? "");
      const said = await testChannel(data, user, value, {
        clock: io.clock,
        places: config.alerts,
        publicUrl: config.publicUrl,
        network: OUTSIDE_NETWORK,
      });
      return { json: { user, name: value.name, said }, note: `${said}\n` };
    }),
};

/** A service can have a mail server that the shell of a command does not know. */
const hintOnMail = (kind: Channel["kind"], { alerts }: Invocation["config"]) =>
  kind === "mail" && alerts.mail === null
    ? { hint: "If the running service has BOURSE_MAIL, give it to this command too: --mail." }
    : {};

async function testChannel(
  data: UserData,
  user: string,
  channel: Channel,
  parts: ConstructorParameters<typeof ChannelTests>[0],
): Promise<string> {
  const { isSent, said } = await new ChannelTests(parts).test(user, channel, await data.settings());
  if (!isSent) throw unavailable(said);
  return said;
}

export const channelDelete = deleteCommand("channel", USER_FLAG, "phone");
