import type { TSchema } from "@sinclair/typebox";
import { COUNTRY_CODES } from "#domain/country.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import { RIGHT_NAMES } from "#domain/rights.ts";
import type { UserData } from "#access/user-data.ts";
import { isOfCluster } from "#ingest/node-market.ts";
import { createExecutor, decodeRequest } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { findListArgument, LIST_ARGUMENTS } from "#operations/portfolio/list-references.ts";
import { type Operation, type Route, widestRoute } from "#operations/operation.ts";
import { parseSymbol } from "#operations/reading/symbol-notation.ts";
import { findReferenced, resolveSymbols } from "#operations/reading/symbols.ts";
import type { MarketStore } from "#store/index.ts";
import { openLog } from "#service/world.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { createLive } from "#service/live.ts";
import { type Command, type Flag, type Invocation, usage } from "./command.ts";
import { USER_FLAG, withUserData } from "./list.ts";
import { readyMarket } from "./market.ts";
import { withMarket } from "./stores.ts";

/** Arguments that may be given without their flag. If an operation has several of them, only the first may. */
const OPERANDS = ["symbol", "symbols", "tickers", "query", "country", "name"] as const;

/** A command for each operation, with a flag for each of its arguments. */
export const CALLS: readonly Command[] = OPERATIONS.map(createCall);

function createCall(operation: Operation): Command {
  const { name, title } = operation;
  const route = widestRoute(operation);
  const { properties } = route.input;
  const names = Object.keys(properties);
  const operand = OPERANDS.find((one) => names.includes(one));
  const takesLists = operation.own || LIST_ARGUMENTS.some((one) => names.includes(one));
  const command: Command = {
    name: `call ${name}`,
    ...(operand && {
      operands: `[${operand.toUpperCase()}]`,
      operandHint: `Other values need their flags: ${names.map((one) => `--${one}`).join(", ")}`,
    }),
    summary: title,
    examples: [exampleOf(operation, route, operand)],
    flags: {
      ...Object.fromEntries(
        names.map((argument) => [argument, argumentFlag(route, argument, properties[argument])]),
      ),
      ...(route !== operation && { mcp: { description: "the limits and defaults of MCP" } }),
      ...(takesLists && USER_FLAG),
    },
    values: Object.fromEntries(
      names.map((argument) => [argument.toUpperCase(), allowedOf(properties[argument]) ?? []]),
    ),
    settings: takesLists ? ["data", "cluster"] : ["data"],
    run: (invocation) => {
      const { io, config } = invocation;
      const call = readCall(invocation, operation, operand);
      if (call === null) throw usage(command, "It takes SYMBOL");
      const answer = (own: UserLists | null) =>
        withMarket(config, (market) => answerCall(call, market, { io, config, own }), io.clock);
      if (!call.needsUser) return answer(null);
      return withUserData(invocation, async (documents, user) => {
        // An unknown user is named before a market is opened.
        await documents.list("list");
        await answer({ documents, user });
      });
    },
  };
  return command;
}

/** The user that `--user` names, and what opens that user's lists. */
interface UserLists {
  readonly documents: UserData;
  readonly user: string;
}

/** A call whose arguments are right, but without the country of its symbol if only the market knows it. */
interface Call {
  readonly operation: Operation;
  readonly route: Route;
  readonly args: Readonly<Record<string, string>>;
  /** True if it is about the lists of a user. */
  readonly needsUser: boolean;
}

/**
 * Reads and checks the arguments of a call, before a market is opened or generated. Null without a symbol.
 *
 * @throws BourseError if the operation refuses them
 */
function readCall(
  { operands, flags }: Invocation,
  operation: Operation,
  operand: string | undefined,
): Call | null {
  const route = flags["mcp"] ? operation : widestRoute(operation);
  const args = textArguments(operation, flags);
  if (operand && operands[0] !== undefined) args[operand] ??= operands[0];
  const { symbol } = args;
  if (operand === "symbol" && (symbol ?? args["symbols"]) === undefined) return null;
  // A symbol is checked in the market, whose errors name similar ones.
  const stand = symbol !== undefined && !args["country"] && { country: "US", symbol: "A" };
  const { input } = decodeRequest(operation, { ...args, ...stand }, route);
  const needsUser = operation.own === true || findListArgument(input) !== null;
  return { operation, route, args, needsUser };
}

async function answerCall(
  { operation, route, args }: Call,
  market: MarketStore,
  { io, config, own }: Pick<Invocation, "io" | "config"> & { readonly own: UserLists | null },
): Promise<void> {
  const { clock } = io;
  const origin = readyMarket(market, config.market, clock());
  const log = openLog(io, config);
  // Only the leader of a cluster fetches.
  const fetches = origin === "live" && !isOfCluster(market);
  const live = fetches ? createLive({ config, market, clock, log }) : null;
  const { symbol } = args;
  const country = args["country"] ?? (symbol === undefined ? null : findCountry(market, symbol));
  const whole = country === null ? args : { ...args, country };
  const executor = createExecutor({
    market,
    clock,
    refresh: live?.onRequest,
    ...(own && { documentsOf: () => own.documents, alertsOf: () => own.documents.alerts }),
  });
  // An operator may do everything.
  const caller = own ? { user: own.user, rights: RIGHT_NAMES, lists: null, asOf: null } : undefined;
  try {
    const cached = await executor.execute(decodeRequest(operation, whole, route), caller);
    io.stdout(`${JSON.stringify(JSON.parse(cached.body), null, 2)}\n`);
    // Lists and alerts of a user have no source.
    if (cached.source !== null || operation.own !== true)
      io.stderr(`Source: ${cached.source ?? "none, no record was found"}\n`);
  } finally {
    // A slow source would keep the process alive after the answer.
    await live?.stop();
  }
}

/** The arguments that were given as flags. */
function textArguments(operation: Operation, flags: Invocation["flags"]): Record<string, string> {
  return Object.fromEntries(
    Object.keys(operation.input.properties).flatMap((name) => {
      const value = flags[name];
      return typeof value === "string" ? [[name, value] as const] : [];
    }),
  );
}

/**
 * The country that the symbol's notation names, or the only one that lists it; null if a country has no
 * listing yet.
 *
 * @throws BourseError if several countries list it, or none
 */
function findCountry(market: MarketStore, symbol: string): string | null {
  const reference = parseSymbol(symbol);
  if (reference?.country) return reference.country;
  const listing = COUNTRY_CODES.filter(
    (one) => reference && findReferenced(market, reference, one),
  );
  if (listing.length > 1) {
    throw invalidArgument(
      `${symbol} is listed in ${listing.join(" and ")}; choose one with --country.`,
    );
  }
  const [country] = listing;
  if (country) return country;
  if (!COUNTRY_CODES.every((one) => market.instruments.hasListing(one))) return null;
  const closest = resolveSymbols(market, symbol).unknown[0]?.closest;
  throw notFound(`Symbol ${symbol} not found in US, JP or VN.`, {
    hint: closest
      ? `Did you mean ${closest}?`
      : `\`${PROGRAM} call list_symbols NAME\` finds symbols by name.`,
  });
}

function argumentFlag({ input }: Route, name: string, schema: TSchema | undefined): Flag {
  const allowed = allowedOf(schema);
  const required = input.required?.includes(name);
  const isFound = name === "country" && Object.hasOwn(input.properties, "symbol");
  const need = isFound ? "Needed only if several countries list the symbol." : "Required.";
  return {
    value:
      schema?.["type"] === "boolean"
        ? "true|false"
        : allowed && allowed.length <= 4
          ? allowed.join("|")
          : name.toUpperCase(),
    description: [schema?.description ?? name, limits(schema), required ? need : ""]
      .filter(Boolean)
      .join(" "),
  };
}

/** The values of an argument; undefined if there are too many. */
function allowedOf(schema: TSchema | undefined): readonly string[] | undefined {
  return schema?.["enum"] as readonly string[] | undefined;
}

/** The allowed values of a flag, if its name does not show them, and its default. */
function limits(schema: TSchema | undefined): string {
  const allowed = allowedOf(schema);
  const range =
    schema?.["type"] === "integer"
      ? `${schema["minimum"]} to ${schema["maximum"]}`
      : allowed && allowed.length > 4
        ? `One of ${allowed.join(", ")}`
        : "";
  const fallback = schema?.["default"] === undefined ? "" : `${schema["default"]} by default`;
  const text = [range, fallback].filter(Boolean).join(", ");
  return text === "" ? "" : `${text}.`;
}

/**
 * The shortest call that succeeds on a new folder: the operand, and the other required arguments as flags. A document that is
 * not there yet can need every field, so a call that saves has all that have an example.
 */
function exampleOf({ own }: Operation, { input, method }: Route, operand?: string): string {
  const { properties, required = [] } = input;
  const valueOf = (name: string): unknown =>
    properties[name]?.["example"] ?? allowedOf(properties[name])?.[0] ?? properties[name]?.default;
  const textOf = (name: string) => {
    const value = String(valueOf(name));
    return /^[\w.,-]+$/.test(value) ? value : `'${value}'`;
  };
  const isShown = (name: string) =>
    required.includes(name) || (method === "PUT" && properties[name]?.["example"] !== undefined);
  const isFound = (name: string) => name === "country" && operand === "symbol";
  const flags = Object.keys(properties).filter(
    (name) => name !== operand && isShown(name) && !isFound(name),
  );
  // A new user has nothing with a name.
  const hasOperand =
    operand !== undefined &&
    (required.includes(operand) || (own !== true && valueOf(operand) !== undefined));
  return [
    ...(hasOperand ? [textOf(operand)] : []),
    ...flags.map((name) => `--${name} ${textOf(name)}`),
  ].join(" ");
}
