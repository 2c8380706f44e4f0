import type { ComponentType } from "preact";
import { me } from "./session.ts";
import type { Sentence } from "./words.ts";

/** A page, with the groups of its pattern as `params`. */
export type Page = ComponentType<{ readonly params: Readonly<Record<string, string>> }>;

/** The parts of the console. All but the last are in the main menu; the last is the menu of the user. */
export const SECTIONS = [
  "Markets",
  "Screener",
  "Lists",
  "Calendar",
  "Economy",
  "Connect",
  "You",
] as const;

/** A page and its audience: all, signed-in users, or admins. */
export interface PageRoute {
  readonly pattern: RegExp;
  /** Its name in the menus and in the search, and the section that it belongs to; a page without one is in no menu. */
  readonly name?: Sentence;
  readonly section?: (typeof SECTIONS)[number];
  /** The address in menus, if it is not the whole pattern. */
  readonly path?: string;
  /** True if its address may have a country that the pages beside it keep. */
  readonly hasCountry?: boolean;
  readonly for: "all" | "user" | "admin";
  readonly load: () => Promise<{ default: Page }>;
  /** Its page of the documentation: a topic, with a heading where one fits. */
  readonly docs: string;
}

/** Every page. Their code is loaded when they are opened. */
export const ROUTES: readonly PageRoute[] = [
  {
    // The start, which opens the user's first page, is Markets without a choice.
    pattern: /^\/console(?:\/markets)?$/,
    path: "/console/markets",
    hasCountry: true,
    name: "Markets",
    section: "Markets",
    for: "user",
    load: () => import("./pages/markets/page.tsx"),
    docs: "examples#what-agents-ask",
  },
  {
    pattern:
      /^\/console\/(?<country>[A-Z]{2})\/(?<symbol>[^/]+)(?:\/(?<tab>chart|financials|valuation|forecast|dividends))?$/,
    for: "user",
    load: () => import("./pages/symbol/page.tsx"),
    docs: "metrics",
  },
  {
    pattern: /^\/console\/sectors$/,
    hasCountry: true,
    name: "Sectors",
    section: "Markets",
    for: "user",
    load: () => import("./pages/sectors/page.tsx"),
    docs: "metrics",
  },
  {
    pattern: /^\/console\/compare$/,
    name: "Compare",
    section: "Markets",
    for: "user",
    load: () => import("./pages/compare/page.tsx"),
    docs: "metrics",
  },
  {
    pattern: /^\/console\/screen$/,
    name: "Screener",
    section: "Screener",
    for: "user",
    load: () => import("./pages/screen/page.tsx"),
    docs: "metrics",
  },
  {
    pattern: /^\/console\/lists(?:\/(?<name>[^/]+))?$/,
    path: "/console/lists",
    name: "Lists",
    section: "Lists",
    for: "user",
    load: () => import("./pages/lists/page.tsx"),
    docs: "examples#lists-of-the-user",
  },
  {
    pattern: /^\/console\/alerts$/,
    name: "Alerts",
    section: "Lists",
    for: "user",
    load: () => import("./pages/alerts/page.tsx"),
    docs: "alerts",
  },
  {
    pattern: /^\/console\/calendar$/,
    name: "Calendar",
    section: "Calendar",
    for: "user",
    load: () => import("./pages/calendar/page.tsx"),
    docs: "feeds#calendar-google-calendar-apple-calendar-outlook-thunderbird-news-readers",
  },
  {
    pattern: /^\/console\/economy$/,
    name: "Economy",
    section: "Economy",
    for: "user",
    load: () => import("./pages/economy/page.tsx"),
    docs: "live-sources",
  },
  {
    pattern: /^\/console\/programs$/,
    name: "Agents and programs",
    section: "Connect",
    for: "user",
    load: () => import("./pages/programs/page.tsx"),
    docs: "programs",
  },
  {
    pattern: /^\/console\/tokens$/,
    name: "Tokens",
    section: "Connect",
    for: "user",
    load: () => import("./pages/tokens/page.tsx"),
    docs: "users",
  },
  {
    pattern: /^\/console\/log$/,
    name: "Call log",
    section: "Connect",
    for: "user",
    load: () => import("./pages/log.tsx"),
    docs: "users",
  },
  {
    pattern: /^\/console\/settings$/,
    name: "Settings",
    section: "You",
    for: "user",
    load: () => import("./pages/settings.tsx"),
    docs: "operating#the-console-and-sign-in",
  },
  {
    pattern: /^\/console\/account$/,
    name: "Account",
    section: "You",
    for: "user",
    load: () => import("./pages/account.tsx"),
    docs: "users",
  },
  {
    pattern: /^\/console\/admin$/,
    name: "Admin",
    section: "You",
    for: "admin",
    load: () => import("./pages/admin/page.tsx"),
    docs: "operating",
  },
  {
    pattern: /^\/console\/about$/,
    name: "About",
    section: "You",
    for: "all",
    load: () => import("./pages/about.tsx"),
    docs: "live-sources",
  },
  {
    pattern: /^\/console\/connect$/,
    for: "user",
    load: () => import("./pages/connect.tsx"),
    docs: "rest-and-mcp#mcp",
  },
];

/** The places of panels that had a page of their own, after the path of their instrument. */
const PANELS: Readonly<Record<string, string>> = { technicals: "/chart#ratings", peers: "#peers" };

/**
 * The path as links have it: `/console/US/AAPL` for `/console/us/aapl`, `/console/screen` for `/console/Screen`.
 * A path of earlier versions is where its panel is now, with an anchor.
 */
export function canonicalPath(path: string): string {
  const [, page = "", panel = ""] =
    /^(\/console\/[a-z]{2}\/[^/]+)\/(technicals|peers)$/i.exec(path) ?? [];
  if (panel !== "") return upperSymbol(page) + PANELS[panel.toLowerCase()];
  if (ROUTES.some(({ pattern }) => pattern.test(path) && path === upperSymbol(path))) return path;
  const written = upperSymbol(path.toLowerCase());
  return ROUTES.some(({ pattern }) => pattern.test(written)) ? written : path;
}

/** A path of an instrument with its country and symbol in capitals. */
const upperSymbol = (path: string) =>
  path.replace(
    /^\/console\/[a-z]{2}\/[^/]+/i,
    (found) => "/console" + found.slice(8).toUpperCase(),
  );

/** The address of a page in menus. */
export function pathOf({ pattern, path }: PageRoute): string {
  return path ?? pattern.source.replaceAll(/[\\^$]/g, "");
}

/** True if this visitor may open the page. */
export function mayOpen(route: PageRoute): boolean {
  if (route.for === "all") return true;
  return route.for === "admin" ? me.value?.role === "admin" : me.value !== null;
}

/** True for a page with figures of the market, which can show a past day. */
export function showsMarket(path: string): boolean {
  const route = ROUTES.find(({ pattern }) => pattern.test(path));
  if (route?.for !== "user" || path === "/console/connect") return false;
  return route.section !== "Connect" && route.section !== "You";
}

/** The pages of a section that this visitor may open, the first one first. */
export function pagesOf(section: string): readonly PageRoute[] {
  return ROUTES.filter((route) => route.section === section && mayOpen(route));
}
