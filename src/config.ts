import { BourseError } from "#domain/errors.ts";
import type { MarketOrigin } from "#domain/records.ts";
import type { LogFormat } from "#lib/log.ts";

/** Everything that can be set, once. Each is an environment variable, and a flag of `serve`. */
export const SETTINGS = {
  host: { variable: "BOURSE_HOST", fallback: "127.0.0.1", description: "address to listen on" },
  port: { variable: "BOURSE_PORT", fallback: "8787", description: "port to listen on" },
  data: { variable: "BOURSE_DATA", fallback: "./bourse-data", description: "the data folder" },
  "trusted-proxies": {
    variable: "BOURSE_TRUSTED_PROXIES",
    fallback: "",
    description: "addresses or CIDR ranges, comma-separated, whose X-Forwarded-For counts",
  },
  "gate-per-minute": {
    variable: "BOURSE_GATE_PER_MINUTE",
    fallback: "120",
    description: "requests a minute from one address; 0 switches the gate off",
  },
  market: {
    variable: "BOURSE_MARKET",
    fallback: "sample",
    description: "sample (generated figures) or live (public sources)",
  },
  contact: {
    variable: "BOURSE_CONTACT",
    fallback: "",
    description: "your mail address or page, told to sources; the SEC demands it",
  },
  sources: {
    variable: "BOURSE_SOURCES",
    fallback: "",
    description: "the only sources to ask, comma-separated; without it all",
  },
  log: { variable: "BOURSE_LOG", fallback: "text", description: "format of the log, text or json" },
} as const;

/** A setting, as its flag names it. */
export type SettingName = keyof typeof SETTINGS;

/** The settings as the program uses them. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly trustedProxies: readonly string[];
  readonly gatePerMinute: number;
  readonly logFormat: LogFormat;
  readonly market: MarketOrigin;
  /** How sources can reach the operator; null where not set. */
  readonly contact: string | null;
  /** The names of the only sources to ask; null for all. */
  readonly sources: readonly string[] | null;
  /** Every variable that is set to name a mirror. */
  readonly mirrors: readonly string[];
  /** The address that stands in for a source's own (`BOURSE_SOURCE_URL_SEC`), or null. */
  readonly mirrorOf: (source: string) => string | null;
  /** The value of the variable that holds a source's key, or null. */
  readonly keyOf: (variable: string) => string | null;
}

const MIRROR = "BOURSE_SOURCE_URL_";

/** The variable that names a source's mirror: `BOURSE_SOURCE_URL_SEC`. */
export function mirrorVariable(source: string): string {
  return MIRROR + source.toUpperCase().replaceAll("-", "_");
}

/**
 * Reads the settings: a flag before its environment variable before the fallback.
 *
 * @throws BourseError naming the variable where a value is not allowed
 */
export function readConfig(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Config {
  const text = (name: SettingName): string => {
    const flag = flags[name];
    // A variable that is empty is not set: so `BOURSE_HOST=` in a unit or compose file means it.
    return typeof flag === "string"
      ? flag
      : env[SETTINGS[name].variable] || SETTINGS[name].fallback;
  };
  // An empty host would listen on every address, an empty folder would be the current one.
  const filled = (name: SettingName): string => {
    if (text(name) === "") {
      throw new BourseError(
        "invalid_argument",
        `${SETTINGS[name].variable} (--${name}) must not be empty.`,
      );
    }
    return text(name);
  };
  const whole = (name: SettingName, max: number): number => {
    const value = Number(text(name));
    if (!/^\d{1,9}$/.test(text(name)) || value > max) {
      throw new BourseError(
        "invalid_argument",
        `${SETTINGS[name].variable} (--${name}) must be a whole number from 0 to ${max}, not "${text(name)}".`,
      );
    }
    return value;
  };
  const logFormat = text("log");
  if (logFormat !== "text" && logFormat !== "json") {
    throw new BourseError(
      "invalid_argument",
      `BOURSE_LOG (--log) must be text or json, not "${logFormat}".`,
    );
  }
  const market = text("market");
  if (market !== "sample" && market !== "live") {
    throw new BourseError(
      "invalid_argument",
      `BOURSE_MARKET (--market) must be sample or live, not "${market}".`,
    );
  }
  const list = (name: SettingName): string[] =>
    text(name)
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
  if (text("sources") !== "" && list("sources").length === 0) {
    throw new BourseError(
      "invalid_argument",
      "BOURSE_SOURCES (--sources) must name sources, or be left out for all.",
    );
  }
  const config: Config = {
    host: filled("host"),
    port: whole("port", 65_535),
    dataFolder: filled("data"),
    trustedProxies: list("trusted-proxies"),
    gatePerMinute: whole("gate-per-minute", 100_000_000),
    logFormat,
    market,
    contact: text("contact") || null,
    sources: list("sources").length > 0 ? list("sources") : null,
    mirrors: Object.keys(env).filter((name) => name.startsWith(MIRROR) && env[name]),
    mirrorOf: (source) => env[mirrorVariable(source)] || null,
    keyOf: (variable) => env[variable] || null,
  };
  return Object.freeze(config);
}
