import { type MetricName, METRICS } from "#analytics/metrics.ts";
import { COUNTRIES, type Country, COUNTRY_CODES } from "#domain/country.ts";
import type { UserSettings } from "#domain/user-settings.ts";
import type { Change } from "#operations/brief/changes.ts";
import { seriesNameIn } from "#operations/reading/macro-series.ts";
import { formatChange, formatLarge, formatPerShare, formatPrice } from "#panels/format.ts";
import {
  dateIn,
  figureIn,
  instantTextIn,
  metricNameIn,
  type TextLanguage,
} from "#panels/local-text.ts";
import { formatMetric } from "#panels/metrics.ts";
import type {
  AlertFacts,
  BriefMessage,
  ConditionMessage,
  EventMessage,
  MessageFigure,
  MessageInstrument,
  MessageMove,
  ThesisMessage,
} from "./message.ts";
import { type MessageWord, say, sayRating } from "./message-words.ts";

/** A message as a phone, a mail, a feed and the console show it. */
export interface MessageText {
  /** One line of at most `MAX_TITLE` characters. */
  readonly title: string;
  /** Lines; empty if the title says all. */
  readonly body: string;
  /** The path of its page in the console: `/console/US/AAPL`. */
  readonly link: string;
}

const MAX_TITLE = 120;
const MAX_BODY = 3_500;

/** The settings that a message follows. Without them it is in English and in UTC. */
export type MessageReader = Pick<UserSettings, "language" | "timeZone">;

/** Writes a message in the language, the numbers and the time zone of its user. */
export function messageText(
  facts: AlertFacts,
  { language = "en", timeZone }: MessageReader,
): MessageText {
  const { title, lines, link } = textOf(facts, language, timeZone ?? "UTC");
  return {
    title: cut(title.replaceAll(/\s+/g, " "), MAX_TITLE),
    body: cut(lines.filter((line) => line !== "").join("\n"), MAX_BODY),
    link,
  };
}

const cut = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;

interface Parts {
  readonly title: string;
  readonly lines: readonly string[];
  readonly link: string;
}

function textOf(facts: AlertFacts, language: TextLanguage, timeZone: string): Parts {
  const own = facts.title;
  const page = { link: "/console/alerts" };
  switch (facts.kind) {
    case "condition":
      return conditionText(facts, own, language);
    case "thesis":
      return thesisText(facts, language);
    case "event":
      return withOwn(own, eventText(facts, language, timeZone));
    case "brief":
      return withOwn(own, briefText(facts, language));
    case "paused":
      return {
        ...page,
        title: say(language, "paused") + (own === undefined ? "" : `: ${own}`),
        lines: [say(language, "paused_why", { count: facts.fired })],
      };
    case "test":
    case "stopped": {
      const { kind, channel } = facts;
      return {
        ...page,
        title: say(language, kind, { channel }),
        lines: [say(language, `${kind}_why`, { channel })],
      };
    }
  }
}

/** The text under the user's own title, whose first line is then the usual title. */
const withOwn = (own: string | undefined, { title, lines, link }: Parts): Parts =>
  own === undefined ? { title, lines, link } : { title: own, lines: [title, ...lines], link };

const linkOf = ({ country, symbol }: MessageInstrument) =>
  `/console/${country}/${encodeURIComponent(symbol)}`;

function conditionText(
  { of, figures, session, split }: ConditionMessage,
  own: string | undefined,
  language: TextLanguage,
): Parts {
  const met = figures.map((figure) => {
    const name = metricNameIn(language, figure.metric);
    const value = valueText(figure, figure.value, of, language);
    return `${name} ${value} ${limitText(figure, of, language)}`;
  });
  const title = `${of.symbol}: ${own ?? met.join(", ")}`;
  const isSaid = own === undefined && title.length <= MAX_TITLE;
  return {
    title,
    lines: [
      of.name,
      ...(isSaid ? [] : met),
      session === null ? "" : say(language, "prices", { date: dateIn(language, session) }),
      split === undefined ? "" : say(language, "split", { ratio: split }),
    ],
    link: linkOf(of),
  };
}

/** `378.20 USD` */
function valueText(
  { metric, currency }: MessageFigure,
  value: number | null,
  { assetType }: MessageInstrument,
  language: TextLanguage,
): string {
  const { unit } = METRICS[metric];
  // A label such as Buy does not say on which side of a limit it is.
  const written = unit === "rating" ? ({ unit: "multiple" } as const) : METRICS[metric];
  const isFew = unit === "count" && Number.isInteger(value) && Math.abs(value ?? 0) < 1_000;
  // Panels show numbers of any size with decimals.
  const text = isFew ? String(value) : formatMetric(written, value, currency, assetType);
  return unit === "calendar date" && value !== null
    ? dateIn(language, text)
    : figureIn(language, text);
}

/** Operators as people write them. */
const SIGNS: Readonly<Record<string, string>> = { "<=": "≤", ">=": "≥", "!=": "≠" };

/** `< 380.00 USD`, `≤ sector median 20.10` */
function limitText(figure: MessageFigure, of: MessageInstrument, language: TextLanguage): string {
  const { operator, limit, limitOf } = figure;
  const [, group] = /^(sector|industry)\./.exec(limitOf ?? "") ?? [];
  const name = group
    ? say(language, `median_${group as "sector" | "industry"}`)
    : limitOf && metricNameIn(language, limitOf as MetricName);
  const value = valueText(figure, limit, of, language);
  return [SIGNS[operator] ?? operator, name, value].filter(Boolean).join(" ");
}

function thesisText(
  { of, text, list, figures, broken, filing, move }: ThesisMessage,
  language: TextLanguage,
): Parts {
  const lines = figures.map((figure, i) => {
    const [before, after] = [figure.before ?? null, figure.value].map((value) =>
      valueText(figure, value, of, language),
    );
    const name = metricNameIn(language, figure.metric);
    const shown = before === after ? `${name} ${after}` : `${name} ${before} → ${after}`;
    const limit = limitText(figure, of, language);
    return say(language, i < broken ? "broken" : "holds", { figure: shown, limit });
  });
  return {
    title: say(language, "thesis", { symbol: of.symbol }),
    lines: [
      language === "ja" ? `「${text}」` : `“${text}”`,
      ...lines,
      filing === null
        ? ""
        : say(language, filing.isRestated ? "restated" : "filing", {
            period: dateIn(language, filing.periodEnd),
            date: dateIn(language, filing.filedOn),
          }),
      move === null ? "" : say(language, "move", { move: moveText(move, of, language) }),
      say(language, "from_list", { list }),
    ],
    link: linkOf(of),
  };
}

/** `300.00 USD → 340.00 USD (+13.33%), 10 Jun 2026` */
function moveText(
  { before, after, currency, date }: MessageMove,
  { assetType }: MessageInstrument,
  language: TextLanguage,
): string {
  const price = (value: number) => figureIn(language, formatPrice(value, currency, assetType));
  const day = dateIn(language, date);
  if (before === null) return `${price(after)}, ${day}`;
  const percent = figureIn(language, formatChange((after / before - 1) * 100));
  return `${price(before)} → ${price(after)} (${percent}), ${day}`;
}

/** The word for an event that many days ahead. */
const inDays = (word: "report" | "ex", days: number): MessageWord =>
  days === 0 ? `${word}_0` : days === 1 ? `${word}_1` : `${word}_n`;

function eventText(facts: EventMessage, language: TextLanguage, timeZone: string): Parts {
  if (facts.event === "release") return releaseText(facts, language, timeZone);
  const { of } = facts;
  const { symbol } = of;
  const link = linkOf(of);
  if (facts.event === "statement") {
    const { periodEnd, filedOn } = facts.filing;
    return {
      title: say(language, "statement", { symbol, period: dateIn(language, periodEnd) }),
      lines: [
        of.name,
        ...facts.rows.map((row) => rowText(row, language)),
        say(language, "filed", { date: dateIn(language, filedOn) }),
      ],
      link: `${link}/financials`,
    };
  }
  if (facts.event === "rating_change") {
    const [before, after] = [facts.before, facts.after].map((one) => sayRating(language, one));
    return {
      title: say(language, "rating", { symbol, before: before ?? "", after: after ?? "" }),
      lines: [of.name, say(language, "rating_mean")],
      link: `${link}/forecast`,
    };
  }
  const { date, days, movedFrom, currency } = facts;
  const amount = (value: number) =>
    figureIn(
      language,
      facts.event === "earnings" ? formatPerShare(value, currency) : formatPrice(value, currency),
    );
  const moved =
    movedFrom === null ? "" : say(language, "moved", { date: dateIn(language, movedFrom) });
  const values = { symbol, days, date: dateIn(language, date) };
  if (facts.event === "ex_date") {
    const lines = [of.name, moved, say(language, "dividend", { amount: amount(facts.amount) })];
    return { title: say(language, inDays("ex", days), values), lines, link: `${link}/dividends` };
  }
  const { session, epsEstimate } = facts;
  return {
    title: say(language, inDays("report", days), values),
    lines: [
      of.name,
      moved,
      session === "not_supplied" ? "" : say(language, session),
      epsEstimate === null ? "" : say(language, "estimate", { amount: amount(epsEstimate) }),
    ],
    link,
  };
}

function releaseText(
  facts: Extract<EventMessage, { event: "release" }>,
  language: TextLanguage,
  timeZone: string,
): Parts {
  const { country, name, date, time, previous, expected, actual } = facts;
  const figure = (text: string) => figureIn(language, text);
  return {
    title: `${countryIn(country, language)}: ${seriesNameIn(language, name)} ${figure(actual)}`,
    lines: [
      expected === null ? "" : say(language, "expected", { figure: figure(expected) }),
      previous === null ? "" : say(language, "previous", { figure: figure(previous) }),
      instantTextIn(language, timeZone, Date.parse(`${date}T${time}Z`)),
    ],
    link: "/console/calendar",
  };
}

const countryIn = (country: Country, language: TextLanguage) =>
  new Intl.DisplayNames(language, { type: "region" }).of(country) ?? COUNTRIES[country].name;

function briefText({ list, of, rows, total }: BriefMessage, language: TextLanguage): Parts {
  const name = list ?? of?.symbol ?? "";
  const rest = total - rows.length;
  return {
    title: say(language, total === 1 ? "changes_1" : "changes", { name, count: total }),
    lines: [
      ...rows.map((row) => rowText(row, language)),
      rest > 0 ? say(language, "more", { count: rest }) : "",
    ],
    link: of ? linkOf(of) : `/console/lists/${list ?? ""}`,
  };
}

/** One line of a brief: `NVDA revenue TTM to 2026-06-30 120.00 B USD → 130.00 B USD (+8.33%)`. */
function rowText(change: Change, language: TextLanguage): string {
  const { what, date, before, after, percent, unit, detail } = change;
  const [country = "", ticker] = change.symbol.split(":");
  const isCountry = (COUNTRY_CODES as readonly string[]).includes(country) && ticker === undefined;
  const cell = (value: Change["after"]) => cellText(value, unit, what, language);
  const change_ = percent === null ? "" : figureIn(language, formatChange(percent));
  const pair = [before, after].flatMap((one) => (one === null ? [] : [cell(one)])).join(" → ");
  const isNew = what === "statement" && after === null;
  return say(language, isNew ? "row_new_statement" : `row_${what}`, {
    symbol: isCountry ? countryIn(country as Country, language) : (ticker ?? country),
    detail:
      what === "release" ? seriesNameIn(language, detail ?? "") : detailText(detail, language),
    date: dateIn(language, date),
    percent: change_,
    after: cell(after),
    figures: what === "statement" && change_ !== "" ? `${pair} (${change_})` : pair,
  });
}

/** The detail of a statement: `revenue TTM to 2026-06-30` with the figure, its months and the date in words. */
function detailText(detail: string | null, language: TextLanguage): string {
  const [, name = "", months, end = ""] =
    /^(\w+) (TTM )?to (\d{4}-\d\d-\d\d)$/.exec(detail ?? "") ?? [];
  if (end === "") return detail ?? "";
  const figure = name in METRICS ? `${metricNameIn(language, name as MetricName)}, ` : "";
  const date = dateIn(language, end);
  return figure + (months === undefined ? date : say(language, "ttm", { date }));
}

function cellText(
  value: Change["after"],
  unit: string | null,
  what: Change["what"],
  language: TextLanguage,
): string {
  if (typeof value !== "number") return figureIn(language, String(value ?? ""));
  if (unit === null) return figureIn(language, String(value));
  const isLarge = (what === "statement" || what === "forecast") && Math.abs(value) >= 1e6;
  return figureIn(language, isLarge ? formatLarge(value, unit) : formatPrice(value, unit));
}
