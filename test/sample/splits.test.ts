import { afterAll, describe, expect, test } from "bun:test";
import { applyToCloses, rawAdjustment } from "#analytics/adjusted-prices.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { openSampleMarket, START } from "../support/service.ts";
import { listInstruments } from "../support/market.ts";

const TODAY = new Date(START).toISOString().slice(0, 10);
const ALL = 100_000;

const closesOf = ({ id }: StoredInstrument) => world.market.bars.closes(id, ALL);
const find = <K extends "splits" | "dividends">(kind: K, { country, symbol }: StoredInstrument) =>
  world.market.documents.find(kind, country, symbol);

const world = openSampleMarket();
const types = new Set(["stock", "reit", "etf"]);
const shares = listInstruments(world.market, null).filter(({ assetType }) => types.has(assetType));
afterAll(() => world.close());

describe("the sample's prices", () => {
  test("are known as traded for every share, and some split", () => {
    const splits = shares.map((one) => find("splits", one)?.splits.length ?? -1);
    expect(Math.min(...splits)).toBe(0);
    expect(Math.max(...splits)).toBeGreaterThan(1);
  });

  test("have no jump on an ex-date: they are split-adjusted", () => {
    for (const one of shares) {
      const { dates, close } = closesOf(one);
      for (const { exDate } of find("splits", one)?.splits ?? []) {
        const at = dates.findIndex((date) => date >= exDate);
        if (at > 0) expect((close[at] ?? 0) / (close[at - 1] ?? 1)).toBeWithin(0.7, 1.4);
      }
    }
  });

  test("as traded, each divided by the splits after its day, are the adjusted ones", () => {
    for (const one of shares) {
      const splits = find("splits", one)?.splits ?? [];
      const closes = closesOf(one);
      const raw = applyToCloses(closes, rawAdjustment(splits, TODAY)).close;
      let worst = 0;
      for (const [i, date] of closes.dates.entries()) {
        let price = raw[i] ?? 0;
        for (const split of splits)
          if (split.exDate > date) price = (price * split.denominator) / split.numerator;
        worst = Math.max(worst, Math.abs(price / (closes.close[i] ?? 0) - 1));
      }
      expect(worst).toBeLessThan(1e-12);
    }
  });
});
