import { alfredVintages } from "./alfred/macro-vintages.ts";
import { bojMacro } from "./boj/macro.ts";
import { economicCalendar } from "./calendar/calendar-events.ts";
import { sp500Constituents } from "./constituents/classifications.ts";
import { edinetFilings } from "./edinet/filings.ts";
import { edinetStatements } from "./edinet/statements.ts";
import { entradeBars } from "./entrade/bars.ts";
import type { Fetcher } from "./fetcher.ts";
import { fredMacro, fredMacroJapan, fredMacroVietNam } from "./fred/macro.ts";
import { frankfurterBars } from "./frankfurter/bars.ts";
import { frankfurterRates } from "./frankfurter/macro.ts";
import { imfForecast } from "./imf/macro-forecasts.ts";
import { imfMacro } from "./imf/macro.ts";
import { jpxEarnings } from "./jpx/earnings-dates.ts";
import { jpxInstruments } from "./jpx/instruments.ts";
import { jquantsBars } from "./jquants/bars.ts";
import { jquantsForecasts } from "./jquants/company-forecasts.ts";
import { jquantsSplits } from "./jquants/splits.ts";
import { jquantsInstruments } from "./jquants/instruments.ts";
import { jquantsDisclosures, jquantsStatements } from "./jquants/statements.ts";
import { multplPe } from "./multpl/index-pe.ts";
import { nasdaqEarnings } from "./nasdaq-earnings/earnings-dates.ts";
import { nasdaqReports, nasdaqSurprises } from "./nasdaq-earnings/earnings-results.ts";
import { nasdaqBars } from "./nasdaq/bars.ts";
import { nasdaqInstruments } from "./nasdaq/instruments.ts";
import { nasdaqQuotes } from "./nasdaq/quotes.ts";
import { nikkeiConstituents } from "./nikkei/classifications.ts";
import { nsoMacro } from "./nso/macro.ts";
import { sbvMacro } from "./sbv/macro.ts";
import { oecdForecast } from "./oecd/macro-forecasts.ts";
import { oecdMacro } from "./oecd/macro.ts";
import { referenceInstruments } from "./reference/instruments.ts";
import { secInstruments } from "./sec/instruments.ts";
import { secFrames } from "./sec/statement-frames.ts";
import { secStatements } from "./sec/statements.ts";
import { shillerPe } from "./shiller/index-pe.ts";
import { mofYields } from "./mof/macro.ts";
import { treasuryYields } from "./treasury/macro.ts";
import { ssgaDow } from "./ssga/classifications.ts";
import { ssiVn30 } from "./ssi/classifications.ts";
import { ssiForeignTrades } from "./ssi/foreign-trades.ts";
import { ssiInstruments } from "./ssi/instruments.ts";
import { ssiQuotes } from "./ssi/quotes.ts";
import { vietcapTargets } from "./vietcap/analyst-coverage.ts";
import { vietcapDividends } from "./vietcap/dividends.ts";
import { vietcapInstruments } from "./vietcap/instruments.ts";
import { vietcapProfile } from "./vietcap/profile.ts";
import { vietcapQuotes } from "./vietcap/quotes.ts";
import { vietcapStatements } from "./vietcap/statements.ts";
import { vietnamReleases } from "./vietnam-releases/calendar-events.ts";
import { vndirectPe } from "./vndirect/index-pe.ts";
import { worldBankMacro } from "./worldbank/macro.ts";
import { yahooBars } from "./yahoo/bars.ts";
import { yahooCoverage } from "./yahoo/analyst-coverage.ts";
import { yahooDividends, yahooSplits } from "./yahoo/events.ts";
import { yahooEarningsDate } from "./yahoo/earnings-dates.ts";
import { yahooResults } from "./yahoo/earnings-results.ts";
import { yahooProfile } from "./yahoo/profile.ts";
import { yahooQuote } from "./yahoo/quotes.ts";
import { yahooScreenerInstruments, yahooScreenerQuotes, yahooSectors } from "./yahoo/screener.ts";
import { yahooRecentCloses } from "./yahoo/recent-closes.ts";
import { yahooStatements } from "./yahoo/statements.ts";

/**
 * Every live fetcher. If several provide the same kind of record for the same country, the first one is
 * preferred; the next one is called if it fails or has no records. Records that a source gave earlier then
 * stay, except prices. Fetchers with `complements` are always called.
 */
export const FETCHERS: readonly Fetcher[] = [
  nasdaqInstruments,
  secInstruments,
  jquantsInstruments,
  jpxInstruments,
  vietcapInstruments,
  ssiInstruments,
  yahooScreenerInstruments,
  referenceInstruments,

  yahooSectors,
  sp500Constituents,
  nikkeiConstituents,
  ssgaDow,
  ssiVn30,

  vietcapProfile,
  yahooProfile,

  yahooScreenerQuotes,
  ssiQuotes,
  nasdaqQuotes,
  vietcapQuotes,
  yahooQuote,
  ssiForeignTrades,

  entradeBars,
  yahooBars,
  nasdaqBars,
  jquantsBars,
  frankfurterBars,
  yahooDividends,
  vietcapDividends,
  yahooSplits,
  jquantsSplits,

  yahooRecentCloses,

  secStatements,
  secFrames,
  vietcapStatements,
  yahooStatements,
  edinetFilings,
  edinetStatements,
  jquantsStatements,
  jquantsDisclosures,

  fredMacro,
  treasuryYields,
  frankfurterRates,
  oecdMacro,
  mofYields,
  bojMacro,
  fredMacroJapan,
  nsoMacro,
  sbvMacro,
  fredMacroVietNam,
  imfMacro,
  worldBankMacro,

  alfredVintages,

  oecdForecast,
  imfForecast,

  economicCalendar,
  vietnamReleases,

  shillerPe,
  multplPe,
  vndirectPe,

  yahooCoverage,
  vietcapTargets,
  nasdaqEarnings,
  yahooEarningsDate,
  jpxEarnings,
  nasdaqReports,
  nasdaqSurprises,
  yahooResults,

  jquantsForecasts,
];
