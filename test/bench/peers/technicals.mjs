// The 26 indicators of the technicals panel, computed by trading-signals over the whole series.
import * as ts from "trading-signals";

/** The last values of all indicators over columns of high, low, close and volume. */
export function technicals({ high, low, close, volume }) {
  const ofCloses = [
    new ts.RSI(14, ts.WSMA),
    new ts.MACD(new ts.EMA(12), new ts.EMA(26), new ts.EMA(9)),
    new ts.StochasticRSI(14, ts.WSMA),
    new ts.MOM(10),
    ...[10, 20, 30, 50, 100, 200].flatMap((length) => [new ts.SMA(length), new ts.EMA(length)]),
    new ts.HMA(9),
  ];
  const ofBars = [
    new ts.StochasticOscillator({ kPeriod: 14, kSlowingPeriod: 3, dPeriod: 3 }),
    new ts.CCI(20),
    new ts.ADX(14),
    new ts.AO(5, 34),
    new ts.WilliamsR(14),
    new ts.ElderRay(13),
    new ts.UltimateOscillator({ shortPeriod: 7, mediumPeriod: 14, longPeriod: 28 }),
    new ts.VWMA(20),
    new ts.IchimokuCloud(),
  ];
  let last = [];
  for (let i = 0; i < close.length; i++) {
    const bar = { high: high[i], low: low[i], close: close[i], volume: volume[i] };
    last = [
      ...ofCloses.map((indicator) => indicator.add(close[i])),
      ...ofBars.map((indicator) => indicator.add(bar)),
    ];
  }
  return last;
}
