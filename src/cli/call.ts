import type { TSchema } from "@sinclair/typebox";
import { COUNTRY_CODES } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { isOfCluster } from "#ingest/changes.ts";
import { decodeRequest, createExecutor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { findReferenced, parseSymbol, resolveSymbols } from "#operations/symbols.ts";
import type { MarketStore } from "#store/index.ts";
import {
  type Command,
  createCommandLog,
  type Flag,
  type Invocation,
  PROGRAM,
  usage,
} from "./command.ts";
import { createLive } from "./live.ts";
import { readyMarket } from "./market.ts";
import { withMarket } from "./stores.ts";

/** Arguments that may be given without their flag. If an operation has several of them, only the first may. */
const OPERANDS = ["symbol", "symbols", "tickers", "query", "country"] as const;

/** A command for each operation, with a flag for each of its arguments. */
export const CALLS: readonly Command[] = OPERATIONS.map(createCall);

function createCall(operation: Operation): Command {
  const { name, title, input } = operation;
  const names = Object.keys(input.properties);
  const operand = OPERANDS.find((one) => names.includes(one));
  const command: Command = {
    name: `call ${name}`,
    ...(operand && {
      operands: `[${operand.toUpperCase()}]`,
      operandHint: `Other values need their flags: ${names.map((one) => `--${one}`).join(", ")}`,
    }),
    summary: title,
    flags: Object.fromEntries(
      Object.entries(input.properties).map(([argument, schema]) => [
        argument,
        argumentFlag(operation, argument, schema),
      ]),
    ),
    settings: ["data"],
    run: ({ io, config, operands, flags }) =>
      withMarket(
        config,
        async (market) => {
          const origin = readyMarket(market, config.market, io.clock());
          const log = createCommandLog(io, config);
          const clock = io.clock;
          // Only the leader of a cluster fetches.
          const fetches = origin === "live" && !isOfCluster(market);
          const live = fetches ? createLive({ config, market, clock, log }) : null;
          const text = textArguments(operation, flags);
          if (operand && operands[0] !== undefined) text[operand] ??= operands[0];
          const { symbol } = text;
          if (operand === "symbol" && symbol === undefined) throw usage(command, "It takes SYMBOL");
          const country =
            text["country"] ?? (symbol === undefined ? null : findCountry(market, symbol));
          const args = country === null ? text : { ...text, country };
          const executor = createExecutor({ market, clock, refresh: live?.onRequest });
          try {
            const cached = await executor.execute(decodeRequest(operation, args));
            io.stdout(`${JSON.stringify(JSON.parse(cached.body), null, 2)}\n`);
            io.stderr(`Source: ${cached.source ?? "none, no record was found"}\n`);
          } finally {
            // A slow source would keep the process alive after the answer.
            await live?.stop();
          }
        },
        io.clock,
      ),
  };
  return command;
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
    throw new BourseError(
      "invalid_argument",
      `${symbol} is listed in ${listing.join(" and ")}; choose one with --country.`,
    );
  }
  const [country] = listing;
  if (country) return country;
  if (!COUNTRY_CODES.every((one) => market.instruments.hasListing(one))) return null;
  const closest = resolveSymbols(market, symbol).unknown[0]?.closest;
  throw new BourseError("not_found", `Symbol ${symbol} not found in US, JP or VN.`, {
    hint: closest
      ? `Did you mean ${closest}?`
      : `\`${PROGRAM} call list_symbols NAME\` finds symbols by name.`,
  });
}

function argumentFlag({ input }: Operation, name: string, schema: TSchema): Flag {
  const allowed = schema["enum"] as readonly string[] | undefined;
  const required = input.required?.includes(name);
  const isFound = name === "country" && Object.hasOwn(input.properties, "symbol");
  const need = isFound ? "Needed only if several countries list the symbol." : "Required.";
  return {
    value:
      schema["type"] === "boolean"
        ? "true|false"
        : allowed && allowed.length <= 4
          ? allowed.join("|")
          : name.toUpperCase(),
    description: [schema.description ?? name, limits(schema), required ? need : ""]
      .filter(Boolean)
      .join(" "),
  };
}

/** The allowed values of a flag, if its name does not show them, and its default. */
function limits(schema: TSchema): string {
  const allowed = schema["enum"] as readonly string[] | undefined;
  const range =
    schema["type"] === "integer"
      ? `${schema["minimum"]} to ${schema["maximum"]}`
      : allowed && allowed.length > 4
        ? `One of ${allowed.join(", ")}`
        : "";
  const fallback = schema["default"] === undefined ? "" : `${schema["default"]} by default`;
  const text = [range, fallback].filter(Boolean).join(", ");
  return text === "" ? "" : `${text}.`;
}
