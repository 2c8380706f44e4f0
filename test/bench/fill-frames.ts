import { answer, type PlayedSource } from "../support/played-answer.ts";
import { usCompanies } from "../support/played-companies.ts";

/** As many as have statements at the SEC. */
const COMPANIES = 5_300;

let spentMs = 0;

/** The time that this process spent in playing frames, which is not that of a service in it. */
export const framesMs = (): number => spentMs;

/** Frames of many companies: three tags of all of them, every other tag of a third. */
export const playFrames: PlayedSource = ({ path }) => {
  const [, tag = "", period = ""] =
    /\/frames\/us-gaap\/(\w+)\/[^/]+\/CY(\w+)\.json$/.exec(path) ?? [];
  if (tag === "") return null;
  const began = performance.now();
  const [year = 0, quarter = 4] = period.split(/[QI]/).filter(Boolean).map(Number);
  const end = new Date(Date.UTC(year, 3 * quarter, 0)).toISOString().slice(0, 10);
  const months = /Q/.test(period) ? 3 : 12;
  const start = new Date(Date.UTC(year, 3 * quarter - months, 1)).toISOString().slice(0, 10);
  const isCommon = /^(Revenues|Assets|NetIncomeLoss|EarningsPerShareDiluted)$/.test(tag);
  const data = usCompanies()
    .slice(0, isCommon ? COMPANIES : COMPANIES / 3)
    .map(({ cik, name }, i) => ({
      accn: "0000320193-26-000001",
      cik,
      entityName: name,
      loc: "US-CA",
      ...(!period.endsWith("I") && { start }),
      end,
      val: (1_000 + i) * (months === 12 ? 4 : 1),
    }));
  const body = answer({ taxonomy: "us-gaap", tag, pts: data.length, data });
  spentMs += performance.now() - began;
  return end > "2026-08-21" ? { status: 404, body: "" } : body;
};
