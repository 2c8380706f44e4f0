// Written by `bun run docs` from the OpenAPI document 3iaoiebcdz5qc. Do not edit it.
/** The paths whose rows can be objects. */
export const TABLE_PATHS: readonly string[] = [
  "/macro/history",
  "/sectors",
  "/stocks/screen",
  "/stocks/compare",
  "/stocks/{symbol}/statements",
  "/stocks/{symbol}/ratios",
  "/stocks/{symbol}/technicals",
  "/stocks/{symbol}/history",
  "/prices/statistics",
  "/stocks/{symbol}/valuation",
  "/portfolio",
  "/earnings/calendar",
];

export interface paths {
  "/api/v1/svc/data/markets": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_markets"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/symbols": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["list_symbols"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/macro/indicators": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_macro_indicators"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/macro/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_macro_history"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/macro/forecast": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_macro_forecast"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/macro/calendar": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_macro_calendar"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/sectors": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_sectors"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/sectors/overview": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_sector_overview"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/stocks/screen": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["screen_stocks"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/stocks/compare": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["compare_stocks"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/stocks/{symbol}/overview": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_stock_overview"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/stocks/{symbol}/statements": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_stock_statements"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/stocks/{symbol}/ratios": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_stock_ratios"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/stocks/{symbol}/technicals": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_stock_technicals"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/stocks/{symbol}/forecast": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_stock_forecast"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/stocks/{symbol}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_stock_price_history"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/prices/statistics": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_price_statistics"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/stocks/{symbol}/valuation": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_valuation_history"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/portfolio": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["analyze_portfolio"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/svc/data/earnings/calendar": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations["get_earnings_calendar"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    ErrorEnvelope: {
      error: {
        /** @enum {string} */
        type:
          | "invalid_request"
          | "authentication_error"
          | "rate_limit_error"
          | "not_found"
          | "server_error";
        /** @enum {string} */
        code:
          | "INVALID_REQUEST"
          | "MISSING_AUTH"
          | "INVALID_TOKEN"
          | "NOT_FOUND"
          | "RATE_LIMIT_EXCEEDED"
          | "INTERNAL";
        message: string;
        param?: string;
        allowed?: string[];
        hint?: string;
      };
    };
    Metrics: {
      /** @example 177.39 */
      price?: number | null;
      /** @example -0.42 */
      change_percent?: number | null;
      /** @example 143140000 */
      volume?: number | null;
      /** @example 212.19 */
      high_52w?: number | null;
      /** @example 86.62 */
      low_52w?: number | null;
      /** @example 38.5 */
      volatility?: number | null;
      /** @example 1.72 */
      beta?: number | null;
      /** @example 55.31 */
      rsi?: number | null;
      /** @example 1.25 */
      macd?: number | null;
      /** @example 16.4 */
      below_high_52w?: number | null;
      /** @example 104.8 */
      above_low_52w?: number | null;
      /** @example -0.42 */
      return_1d?: number | null;
      /** @example 4.15 */
      return_1w?: number | null;
      /** @example 4.15 */
      return_1m?: number | null;
      /** @example 4.15 */
      return_3m?: number | null;
      /** @example 4.15 */
      return_6m?: number | null;
      /** @example 4.15 */
      return_ytd?: number | null;
      /** @example 4.15 */
      return_1y?: number | null;
      /** @example 4.15 */
      return_5y?: number | null;
      /** @example 4.15 */
      return_10y?: number | null;
      /** @example 24.82 */
      total_return_1y?: number | null;
      /** @example 152.3 */
      total_return_5y?: number | null;
      /** @example 4310000000000 */
      market_cap?: number | null;
      /** @example 4270000000000 */
      enterprise_value?: number | null;
      /** @example 35.12 */
      pe?: number | null;
      /** @example 24.8 */
      forward_pe?: number | null;
      /** @example 12.4 */
      pb?: number | null;
      /** @example 8.05 */
      ps?: number | null;
      /** @example 18.3 */
      pcf?: number | null;
      /** @example 22.6 */
      pfcf?: number | null;
      /** @example 1.35 */
      peg?: number | null;
      /** @example 27.9 */
      ev_ebitda?: number | null;
      /** @example 8.4 */
      ev_revenue?: number | null;
      /** @example 30.2 */
      ev_ebit?: number | null;
      /** @example 2.95 */
      fcf_yield?: number | null;
      /** @example 0.44 */
      dividend_yield?: number | null;
      /** @example 0.78 */
      dividend_per_share?: number | null;
      /** @example 4.1 */
      dividend_growth_1y?: number | null;
      /** @example 5.2 */
      dividend_growth_5y?: number | null;
      /** @example 13 */
      dividend_years_raised?: number | null;
      /** @example 14 */
      dividend_years_paid?: number | null;
      /** @example 2026-12-04 */
      next_ex_date?: string | null;
      /** @example 15.5 */
      payout_ratio?: number | null;
      /** @example 187140000000 */
      revenue?: number | null;
      /** @example 12.34 */
      revenue_growth?: number | null;
      /** @example 133000000000 */
      gross_profit?: number | null;
      /** @example 110100000000 */
      operating_income?: number | null;
      /** @example 112900000000 */
      ebitda?: number | null;
      /** @example 99200000000 */
      net_income?: number | null;
      /** @example 6.58 */
      eps?: number | null;
      /** @example 12.34 */
      eps_growth?: number | null;
      /** @example 161150000000 */
      total_assets?: number | null;
      /** @example 116500000000 */
      current_assets?: number | null;
      /** @example 60600000000 */
      cash?: number | null;
      /** @example 24300000000 */
      shares_outstanding?: number | null;
      /** @example 42200000000 */
      total_liabilities?: number | null;
      /** @example 10980000000 */
      total_debt?: number | null;
      /** @example -49600000000 */
      net_debt?: number | null;
      /** @example 118900000000 */
      total_equity?: number | null;
      /** @example 4.23 */
      current_ratio?: number | null;
      /** @example 3.61 */
      quick_ratio?: number | null;
      /** @example 0.13 */
      debt_to_equity?: number | null;
      /** @example 5.52 */
      cash_to_debt?: number | null;
      /** @example 83200000000 */
      operating_cash_flow?: number | null;
      /** @example -23400000000 */
      investing_cash_flow?: number | null;
      /** @example -46600000000 */
      financing_cash_flow?: number | null;
      /** @example 77300000000 */
      free_cash_flow?: number | null;
      /** @example 5900000000 */
      capital_expenditure?: number | null;
      /** @example 71.07 */
      gross_margin?: number | null;
      /** @example 58.84 */
      operating_margin?: number | null;
      /** @example 53.01 */
      net_margin?: number | null;
      /** @example 41.3 */
      fcf_margin?: number | null;
      /** @example 91.9 */
      roe?: number | null;
      /** @example 61.6 */
      roa?: number | null;
      /** @example 63.5 */
      roic?: number | null;
      /** @example 31.4 */
      pe_5y_median?: number | null;
      /** @example 35.5 */
      pe_percentile_5y?: number | null;
      /** @example 10.2 */
      pb_5y_median?: number | null;
      /** @example 35.5 */
      pb_percentile_5y?: number | null;
      /** @example 6.9 */
      ps_5y_median?: number | null;
      /** @example 35.5 */
      ps_percentile_5y?: number | null;
      /** @example 22.7 */
      ev_ebitda_5y_median?: number | null;
      /** @example 35.5 */
      ev_ebitda_percentile_5y?: number | null;
      /** @example 0.6 */
      dividend_yield_5y_median?: number | null;
      /** @example 35.5 */
      dividend_yield_percentile_5y?: number | null;
      /** @example 2.42 */
      eps_surprise_last?: number | null;
      /** @example 3 */
      eps_beats_4q?: number | null;
      /** @example 2026-10-30 */
      filing_date?: string | null;
      /** @example 2026-Q3 */
      fiscal_period?: string | null;
      /** @example 1.85 */
      rating?: number | null;
      /** @example 41 */
      analyst_count?: number | null;
      /** @example 200.5 */
      target_price?: number | null;
      /** @example 13.03 */
      target_upside?: number | null;
      /** @example 29600 */
      employees?: number | null;
    };
    /** @enum {string} */
    Country: "US" | "JP" | "VN";
    Markets: {
      countries: {
        code: components["schemas"]["Country"];
        name: string;
        currency: string;
        index_name: string;
        asset_types: (
          "commodity" | "cryptocurrency" | "currency" | "etf" | "index" | "reit" | "stock"
        )[];
        asset_counts: {
          [key: string]: number;
        };
        total_symbols: number;
        upcoming_holidays: {
          /** Format: date */
          date: string;
          name: string;
        }[];
        upcoming_half_days: {
          /** Format: date */
          date: string;
          name: string;
          closes_at: string;
        }[];
        exchange: {
          time_zone: string;
          hours: string[];
          /** @enum {string} */
          status: "open" | "break" | "closed";
          /** Format: date-time */
          status_until: string;
        };
      }[];
      supported_countries: components["schemas"]["Country"][];
      total_symbols: number;
      source: string | null;
      understood_as?: string;
    };
    MarketsAnswer: {
      data: components["schemas"]["Markets"];
      /** Format: date-time */
      as_of: string;
    };
    Symbols: {
      symbols: {
        country: components["schemas"]["Country"];
        symbol: string;
        code: string;
        name: string;
        /** @enum {string} */
        type: "commodity" | "cryptocurrency" | "currency" | "etf" | "index" | "reit" | "stock";
        sector: string | null;
        currency: string;
        price: number | null;
        change_percent: number | null;
        market_cap: number | null;
      }[];
      total: number;
      next_cursor: string | null;
      sessions: {
        [key: string]: string;
      };
      suggestions?: string[];
      matches?: {
        query: string;
        symbols: string[];
        suggestions?: string[];
      }[];
      source: string | null;
      understood_as?: string;
    };
    SymbolsAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["Symbols"];
      /** Format: date-time */
      as_of: string;
    };
    MacroIndicators: {
      [key: string]: {
        name: string;
        latest: number;
        previous: number;
        latest_raw: string;
        previous_raw: string;
        unit: string;
        period: string;
        previous_period?: string;
        source: string;
      }[];
    };
    MacroIndicatorsAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["MacroIndicators"];
      /** Format: date-time */
      as_of: string;
    };
    MacroHistory: {
      name: string;
      category: string;
      unit: string;
      /** @enum {string} */
      frequency: "annual" | "quarterly" | "monthly" | "weekly" | "daily" | "irregular";
      columns: string[];
      rows: (string | number | boolean | null)[][];
      total: number;
      begins?: string;
      /** Format: date */
      known_to?: string;
      more?: string;
      source: string | null;
      understood_as?: string;
    };
    MacroHistoryAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["MacroHistory"];
      /** Format: date-time */
      as_of: string;
    };
    MacroHistoryObjects: {
      name: string;
      category: string;
      unit: string;
      /** @enum {string} */
      frequency: "annual" | "quarterly" | "monthly" | "weekly" | "daily" | "irregular";
      columns: string[];
      rows: {
        [key: string]: string | number | boolean | null;
      }[];
      total: number;
      begins?: string;
      /** Format: date */
      known_to?: string;
      more?: string;
      source: string | null;
      understood_as?: string;
    };
    MacroForecast: {
      country: string;
      /** Format: date-time */
      timestamp: string;
      forecast_horizons: string[];
      categories: {
        [key: string]: ({
          name: string;
          unit: string;
          latest: string;
          latest_period: string;
        } & {
          [key: string]: string;
        })[];
      };
      summary: {
        indicators_total: number;
        categories: number;
      };
      metadata: {
        source: string;
      };
      source: string | null;
      understood_as?: string;
    };
    MacroForecastAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["MacroForecast"];
      /** Format: date-time */
      as_of: string;
    };
    MacroCalendar: {
      events: {
        id: string;
        country: string;
        event: string;
        /** Format: date */
        date: string;
        time: string;
        local_time: string;
        /** @enum {string} */
        importance: "high" | "medium" | "low";
        previous: string | null;
        forecast: string | null;
        consensus: string | null;
        actual: string | null;
        currency: string;
      }[];
      summary: {
        total: number;
        high: number;
        medium: number;
        low: number;
      };
      next_cursor?: string;
      /** Format: date */
      known_to?: string;
      source: string | null;
      understood_as?: string;
    };
    MacroCalendarAnswer: {
      data: components["schemas"]["MacroCalendar"];
      /** Format: date-time */
      as_of: string;
    };
    SectorPanel: {
      Sector?: string;
      "Mkt cap"?: string;
      Industries?: string;
      Stocks?: string;
      "Chg %"?: string;
    };
    SectorPerformance: {
      "Chg %"?: string;
      "Perf %1W"?: string;
      "Perf %1M"?: string;
      "Perf %YTD"?: string;
      "Perf %1Y"?: string;
    };
    SectorStatistics: {
      pe_median: number | null;
      pe_p25: number | null;
      pe_p75: number | null;
      pb_median: number | null;
      ps_median: number | null;
      ev_ebitda_median: number | null;
      roe_median: number | null;
      roic_median: number | null;
      revenue_growth_median: number | null;
      eps_growth_median: number | null;
      gross_margin_median: number | null;
      operating_margin_median: number | null;
      net_margin_median: number | null;
      fcf_margin_median: number | null;
      sample_size: number;
      reliable: boolean;
      /** Format: date-time */
      updated_at: string;
    };
    Sector: {
      name: string;
      slug: string;
      overview: components["schemas"]["SectorPanel"];
      performance: components["schemas"]["SectorPerformance"];
      stats: components["schemas"]["SectorStatistics"];
    };
    Sectors: {
      country_pe: number | null;
      /** @enum {string} */
      country_pe_of: "index members" | "all companies";
      country_pe_5y_avg: number | null;
      country_index_name: string;
      /** @enum {string} */
      country_valuation_status:
        "Expensive" | "Overvalued" | "Fair" | "Undervalued" | "Cheap" | "insufficient_history";
      sectors: {
        [key: string]: components["schemas"]["Sector"];
      };
      columns?: string[];
      rows?: (string | number | boolean | null)[][];
      /** Format: date */
      session: string | null;
      source: string | null;
      understood_as?: string;
    };
    SectorsAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["Sectors"];
      /** Format: date-time */
      as_of: string;
    };
    SectorsObjects: {
      country_pe: number | null;
      /** @enum {string} */
      country_pe_of: "index members" | "all companies";
      country_pe_5y_avg: number | null;
      country_index_name: string;
      /** @enum {string} */
      country_valuation_status:
        "Expensive" | "Overvalued" | "Fair" | "Undervalued" | "Cheap" | "insufficient_history";
      sectors: {
        [key: string]: {
          name: string;
          slug: string;
          overview: {
            Sector?: string;
            "Mkt cap"?: string;
            Industries?: string;
            Stocks?: string;
            "Chg %"?: string;
          };
          performance: {
            "Chg %"?: string;
            "Perf %1W"?: string;
            "Perf %1M"?: string;
            "Perf %YTD"?: string;
            "Perf %1Y"?: string;
          };
          stats: {
            pe_median: number | null;
            pe_p25: number | null;
            pe_p75: number | null;
            pb_median: number | null;
            ps_median: number | null;
            ev_ebitda_median: number | null;
            roe_median: number | null;
            roic_median: number | null;
            revenue_growth_median: number | null;
            eps_growth_median: number | null;
            gross_margin_median: number | null;
            operating_margin_median: number | null;
            net_margin_median: number | null;
            fcf_margin_median: number | null;
            sample_size: number;
            reliable: boolean;
            /** Format: date-time */
            updated_at: string;
          };
        };
      };
      columns?: string[];
      rows?: {
        [key: string]: string | number | boolean | null;
      }[];
      /** Format: date */
      session: string | null;
      source: string | null;
      understood_as?: string;
    };
    SectorOverview: {
      rows: {
        slug: string;
        name: string;
        stocks: number;
        market_cap: number | null;
        dividend_yield: number | null;
        pe: number | null;
        profit_margin: number | null;
        change_1d: number | null;
        change_1y: number | null;
      }[];
      currency: string;
      sessions: {
        [key: string]: string;
      };
      source: string | null;
      understood_as?: string;
    };
    SectorOverviewAnswer: {
      data: components["schemas"]["SectorOverview"];
      /** Format: date-time */
      as_of: string;
    };
    ScreenStocksResult: {
      columns: string[];
      rows: (string | number | boolean | null)[][];
      total: number;
      of: number;
      /** Format: date */
      session: string | null;
      currency: string;
      rates?: {
        from: string;
        to: string;
        rate: number | null;
        /** Format: date */
        date: string | null;
        first_rate?: number;
        /** Format: date */
        first_date?: string;
        /** Format: date */
        begins?: string;
      }[];
      note?: string;
      emptied_by: string | null;
      next_cursor: string | null;
      source: string | null;
      understood_as?: string;
    };
    ScreenStocksResultAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["ScreenStocksResult"];
      /** Format: date-time */
      as_of: string;
    };
    ScreenStocksResultObjects: {
      columns: string[];
      rows: ({
        [key: string]: string | number | boolean | null;
      } & components["schemas"]["Metrics"])[];
      total: number;
      of: number;
      /** Format: date */
      session: string | null;
      currency: string;
      rates?: {
        from: string;
        to: string;
        rate: number | null;
        /** Format: date */
        date: string | null;
        first_rate?: number;
        /** Format: date */
        first_date?: string;
        /** Format: date */
        begins?: string;
      }[];
      note?: string;
      emptied_by: string | null;
      next_cursor: string | null;
      source: string | null;
      understood_as?: string;
    };
    CompareStocksResult: {
      columns: string[];
      rows: (string | number | boolean | null)[][];
      /** Format: date */
      session: string | null;
      currency: string | null;
      rates: {
        from: string;
        to: string;
        rate: number | null;
        /** Format: date */
        date: string | null;
        first_rate?: number;
        /** Format: date */
        first_date?: string;
        /** Format: date */
        begins?: string;
      }[];
      unknown: {
        symbol: string;
        reason: string;
        closest: string | null;
      }[];
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    CompareStocksResultAnswer: {
      data: components["schemas"]["CompareStocksResult"];
      /** Format: date-time */
      as_of: string;
    };
    CompareStocksResultObjects: {
      columns: string[];
      rows: ({
        [key: string]: string | number | boolean | null;
      } & components["schemas"]["Metrics"])[];
      /** Format: date */
      session: string | null;
      currency: string | null;
      rates: {
        from: string;
        to: string;
        rate: number | null;
        /** Format: date */
        date: string | null;
        first_rate?: number;
        /** Format: date */
        first_date?: string;
        /** Format: date */
        begins?: string;
      }[];
      unknown: {
        symbol: string;
        reason: string;
        closest: string | null;
      }[];
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    OverviewPanel: {
      Name?: string;
      Price?: string;
      "Price date"?: string;
      "Chg %"?: string;
      Volume?: string;
      "Mkt cap"?: string;
      "P/E"?: string;
      "EPS dilTTM"?: string;
      "EPS dil growthTTM YoY"?: string;
      "Div yield %TTM"?: string;
      "Analyst rating"?: string;
      Delisted?: string;
    };
    ValuationPanel: {
      "Mkt cap"?: string;
      EV?: string;
      "P/E"?: string;
      "P/B"?: string;
      "P/S"?: string;
      "P/CF"?: string;
      "P/FCF"?: string;
      PEGTTM?: string;
      "EV/EBITDATTM"?: string;
      "EV/revenueTTM"?: string;
    };
    PerformancePanel: {
      "Perf %1W"?: string;
      "Perf %1M"?: string;
      "Perf %3M"?: string;
      "Perf %6M"?: string;
      "Perf %YTD"?: string;
      "Perf %1Y"?: string;
      "Perf %5Y"?: string;
      "Perf %10Y"?: string;
    };
    PerformanceFromPanel: {
      "Perf %1W"?: string;
      "Perf %1M"?: string;
      "Perf %3M"?: string;
      "Perf %6M"?: string;
      "Perf %YTD"?: string;
      "Perf %1Y"?: string;
      "Perf %5Y"?: string;
      "Perf %10Y"?: string;
    };
    StockOverview: {
      overview: components["schemas"]["OverviewPanel"];
      valuation: components["schemas"]["ValuationPanel"];
      business_model: {
        business_summary: string;
        employees?: number;
        sector: string;
        industry: string;
        /** Format: date-time */
        fetch_timestamp: string;
      };
      performance: components["schemas"]["PerformancePanel"];
      performance_from: components["schemas"]["PerformanceFromPanel"];
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    StockOverviewAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["StockOverview"];
      /** Format: date-time */
      as_of: string;
    };
    FiscalPeriodPanel: {
      "Fiscal period"?: string;
      "Fiscal period end"?: string;
      "Filing date"?: string;
      "Accession number"?: string;
      Revenue?: string;
      "Gross profit"?: string;
      "Op income"?: string;
      EBITDA?: string;
      "Net income"?: string;
      "EPS dil"?: string;
      "Total assets"?: string;
      "Current assets"?: string;
      "Cash on hand"?: string;
      "Total liabilities"?: string;
      "Total debt"?: string;
      "Total equity"?: string;
      "Common equity"?: string;
      "Shares outstanding"?: string;
      "Operating CF"?: string;
      "Investing CF"?: string;
      "Financing CF"?: string;
      FCF?: string;
      CAPEX?: string;
      "Gross margin"?: string;
      "Operating margin"?: string;
      "Net margin"?: string;
      "FCF margin"?: string;
      ROIC?: string;
      "FCF yield"?: string;
      "EV/EBIT"?: string;
      "Debt / equity"?: string;
      "Current ratio"?: string;
    };
    StockStatements: {
      Name?: string;
      "Fiscal periodCurrent"?: string;
      "Fiscal period endCurrent"?: string;
      Rounding?: string;
      RevenueTTM?: string;
      "Revenue growthTTM YoY"?: string;
      "Gross profitTTM"?: string;
      "Op incomeTTM"?: string;
      EBITDATTM?: string;
      "Net incomeTTM"?: string;
      "EPS dilTTM"?: string;
      "EPS dil growthTTM YoY"?: string;
      "Total assetsFQ"?: string;
      "Current assetsFQ"?: string;
      "Cash on handFQ"?: string;
      "Total liabilitiesFQ"?: string;
      "Total debtFQ"?: string;
      "Net debtFQ"?: string;
      "Total equityFQ"?: string;
      "Current ratioFQ"?: string;
      "Quick ratioFQ"?: string;
      "Debt / equityFQ"?: string;
      "Cash / debtFQ"?: string;
      "Operating CFTTM"?: string;
      "Investing CFTTM"?: string;
      "Financing CFTTM"?: string;
      FCFTTM?: string;
      CAPEXTTM?: string;
      "Gross marginTTM"?: string;
      "Operating marginTTM"?: string;
      "Net marginTTM"?: string;
      "FCF marginTTM"?: string;
      ROETTM?: string;
      ROICTTM?: string;
      ROATTM?: string;
      "FCF yieldTTM"?: string;
      "EV/EBITTTM"?: string;
      periods?: components["schemas"]["FiscalPeriodPanel"][];
      known_on?: {
        [key: string]: string;
      };
      periods_total?: number;
      begins?: string;
      figures?: {
        currency: string | null;
        scale: number;
        columns: string[];
        rows: (string | number | boolean | null)[][];
      };
      Source?: string;
      understood_as?: string;
      delisted?: string;
    };
    StockStatementsAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["StockStatements"];
      /** Format: date-time */
      as_of: string;
    };
    StockStatementsObjects: {
      Name?: string;
      "Fiscal periodCurrent"?: string;
      "Fiscal period endCurrent"?: string;
      Rounding?: string;
      RevenueTTM?: string;
      "Revenue growthTTM YoY"?: string;
      "Gross profitTTM"?: string;
      "Op incomeTTM"?: string;
      EBITDATTM?: string;
      "Net incomeTTM"?: string;
      "EPS dilTTM"?: string;
      "EPS dil growthTTM YoY"?: string;
      "Total assetsFQ"?: string;
      "Current assetsFQ"?: string;
      "Cash on handFQ"?: string;
      "Total liabilitiesFQ"?: string;
      "Total debtFQ"?: string;
      "Net debtFQ"?: string;
      "Total equityFQ"?: string;
      "Current ratioFQ"?: string;
      "Quick ratioFQ"?: string;
      "Debt / equityFQ"?: string;
      "Cash / debtFQ"?: string;
      "Operating CFTTM"?: string;
      "Investing CFTTM"?: string;
      "Financing CFTTM"?: string;
      FCFTTM?: string;
      CAPEXTTM?: string;
      "Gross marginTTM"?: string;
      "Operating marginTTM"?: string;
      "Net marginTTM"?: string;
      "FCF marginTTM"?: string;
      ROETTM?: string;
      ROICTTM?: string;
      ROATTM?: string;
      "FCF yieldTTM"?: string;
      "EV/EBITTTM"?: string;
      periods?: {
        "Fiscal period"?: string;
        "Fiscal period end"?: string;
        "Filing date"?: string;
        "Accession number"?: string;
        Revenue?: string;
        "Gross profit"?: string;
        "Op income"?: string;
        EBITDA?: string;
        "Net income"?: string;
        "EPS dil"?: string;
        "Total assets"?: string;
        "Current assets"?: string;
        "Cash on hand"?: string;
        "Total liabilities"?: string;
        "Total debt"?: string;
        "Total equity"?: string;
        "Common equity"?: string;
        "Shares outstanding"?: string;
        "Operating CF"?: string;
        "Investing CF"?: string;
        "Financing CF"?: string;
        FCF?: string;
        CAPEX?: string;
        "Gross margin"?: string;
        "Operating margin"?: string;
        "Net margin"?: string;
        "FCF margin"?: string;
        ROIC?: string;
        "FCF yield"?: string;
        "EV/EBIT"?: string;
        "Debt / equity"?: string;
        "Current ratio"?: string;
      }[];
      known_on?: {
        [key: string]: string;
      };
      periods_total?: number;
      begins?: string;
      figures?: {
        currency: string | null;
        scale: number;
        columns: string[];
        rows: {
          [key: string]: string | number | boolean | null;
        }[];
      };
      Source?: string;
      understood_as?: string;
      delisted?: string;
    };
    TechnicalsPanel: {
      Name?: string;
      "Price date"?: string;
      "Tech rating"?: string;
      "MA rating"?: string;
      "Os rating"?: string;
      "RSI (14)"?: string;
      "MACD (12,26)Level"?: string;
      "MACD (12,26)Signal"?: string;
      "Stoch (14,3,3)%K"?: string;
      "Stoch (14,3,3)%D"?: string;
      "CCI (20)"?: string;
      "Mom (10)"?: string;
      AO?: string;
      votes?: {
        columns: string[];
        rows: (string | number | boolean | null)[][];
      };
      Source?: string;
      understood_as?: string;
      delisted?: string;
    };
    StockTechnicalsAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["TechnicalsPanel"];
      /** Format: date-time */
      as_of: string;
    };
    StockTechnicalsObjects: {
      Name?: string;
      "Price date"?: string;
      "Tech rating"?: string;
      "MA rating"?: string;
      "Os rating"?: string;
      "RSI (14)"?: string;
      "MACD (12,26)Level"?: string;
      "MACD (12,26)Signal"?: string;
      "Stoch (14,3,3)%K"?: string;
      "Stoch (14,3,3)%D"?: string;
      "CCI (20)"?: string;
      "Mom (10)"?: string;
      AO?: string;
      votes?: {
        columns: string[];
        rows: {
          [key: string]: string | number | boolean | null;
        }[];
      };
      Source?: string;
      understood_as?: string;
      delisted?: string;
    };
    Consensus: {
      low: number | null;
      average: number | null;
      high: number | null;
      analysts: number;
    };
    StockForecast: {
      name: string;
      currency: string;
      price: number | null;
      rating: string | null;
      rating_trend?: {
        month: string;
        strong_buy: number;
        buy: number;
        hold: number;
        sell: number;
        strong_sell: number;
      }[];
      price_target?: {
        low: number | null;
        mean: number | null;
        median: number | null;
        high: number | null;
        analysts: number;
        upside_percent: number | null;
      } | null;
      estimates?: {
        /** @enum {string} */
        period: "current_quarter" | "next_quarter" | "current_year" | "next_year";
        /** Format: date */
        period_end: string;
        eps: components["schemas"]["Consensus"];
        revenue: components["schemas"]["Consensus"];
        eps_year_ago: number | null;
      }[];
      surprises?: {
        quarter_end: string;
        /** Format: date */
        reported_on: string | null;
        eps_actual: number;
        eps_estimate: number | null;
        surprise_percent: number | null;
      }[];
      surprises_total?: number;
      actions?: {
        /** Format: date */
        date: string;
        firm: string;
        action: string;
        to_grade: string | null;
        price_target: number | null;
      }[];
      actions_total?: number;
      track_record?: {
        firm: string;
        targets: number;
        hit_percent: number;
        average_return_percent: number;
      }[];
      track_record_total?: number;
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    StockForecastAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["StockForecast"];
      /** Format: date-time */
      as_of: string;
    };
    StockPriceHistory: {
      name: string;
      currency: string;
      /** @enum {string} */
      adjustment: "split" | "none" | "total";
      rates?: {
        from: string;
        to: string;
        rate: number | null;
        /** Format: date */
        date: string | null;
        first_rate?: number;
        /** Format: date */
        first_date?: string;
        /** Format: date */
        begins?: string;
      }[];
      row_rates?: {
        columns: string[];
        rows: (string | number | boolean | null)[][];
      };
      dates?: string[];
      closes?: (number | null)[];
      bars?: {
        columns: string[];
        rows: (string | number | boolean | null)[][];
      };
      total: number;
      begins?: string;
      /** Format: date */
      known_to?: string;
      next_before: string | null;
      more?: string;
      snapshot?: {
        dates: string[];
        closes: (number | null)[];
      };
      dividends?: {
        columns: string[];
        rows: (string | number | boolean | null)[][];
      } | null;
      splits?: {
        columns: string[];
        rows: (string | number | boolean | null)[][];
      } | null;
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    StockPriceHistoryAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["StockPriceHistory"];
      /** Format: date-time */
      as_of: string;
    };
    StockPriceHistoryObjects: {
      name: string;
      currency: string;
      /** @enum {string} */
      adjustment: "split" | "none" | "total";
      rates?: {
        from: string;
        to: string;
        rate: number | null;
        /** Format: date */
        date: string | null;
        first_rate?: number;
        /** Format: date */
        first_date?: string;
        /** Format: date */
        begins?: string;
      }[];
      row_rates?: {
        columns: string[];
        rows: {
          [key: string]: string | number | boolean | null;
        }[];
      };
      dates?: string[];
      closes?: (number | null)[];
      bars?: {
        columns: string[];
        rows: {
          [key: string]: string | number | boolean | null;
        }[];
      };
      total: number;
      begins?: string;
      /** Format: date */
      known_to?: string;
      next_before: string | null;
      more?: string;
      snapshot?: {
        dates: string[];
        closes: (number | null)[];
      };
      dividends?: {
        columns: string[];
        rows: {
          [key: string]: string | number | boolean | null;
        }[];
      } | null;
      splits?: {
        columns: string[];
        rows: {
          [key: string]: string | number | boolean | null;
        }[];
      } | null;
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    PriceStatistics: {
      columns: string[];
      rows: (string | number | boolean | null)[][];
      rates?: {
        from: string;
        to: string;
        rate: number | null;
        /** Format: date */
        date: string | null;
        first_rate?: number;
        /** Format: date */
        first_date?: string;
        /** Format: date */
        begins?: string;
      }[];
      /** @enum {string} */
      adjustment: "split" | "none" | "total";
      /** Format: date */
      session: string | null;
      correlation: {
        symbols: string[];
        sessions: number;
        matrix: (number | null)[][];
      } | null;
      closes: {
        columns: string[];
        rows: (string | number | boolean | null)[][];
      } | null;
      years?: {
        columns: string[];
        rows: (string | number | boolean | null)[][];
        running: string | null;
      };
      months?: {
        columns: string[];
        rows: (string | number | boolean | null)[][];
        running: string | null;
      };
      notes?: string[];
      begins?: {
        [key: string]: string;
      };
      /** Format: date */
      known_to?: string;
      unknown: {
        symbol: string;
        reason: string;
        closest: string | null;
      }[];
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    PriceStatisticsAnswer: {
      data: components["schemas"]["PriceStatistics"];
      /** Format: date-time */
      as_of: string;
    };
    PriceStatisticsObjects: {
      columns: string[];
      rows: {
        [key: string]: string | number | boolean | null;
      }[];
      rates?: {
        from: string;
        to: string;
        rate: number | null;
        /** Format: date */
        date: string | null;
        first_rate?: number;
        /** Format: date */
        first_date?: string;
        /** Format: date */
        begins?: string;
      }[];
      /** @enum {string} */
      adjustment: "split" | "none" | "total";
      /** Format: date */
      session: string | null;
      correlation: {
        symbols: string[];
        sessions: number;
        matrix: (number | null)[][];
      } | null;
      closes: {
        columns: string[];
        rows: {
          [key: string]: string | number | boolean | null;
        }[];
      } | null;
      years?: {
        columns: string[];
        rows: {
          [key: string]: string | number | boolean | null;
        }[];
        running: string | null;
      };
      months?: {
        columns: string[];
        rows: {
          [key: string]: string | number | boolean | null;
        }[];
        running: string | null;
      };
      notes?: string[];
      begins?: {
        [key: string]: string;
      };
      /** Format: date */
      known_to?: string;
      unknown: {
        symbol: string;
        reason: string;
        closest: string | null;
      }[];
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    ValuationHistory: {
      name: string;
      /** Format: date */
      session: string | null;
      metrics: {
        [key: string]: {
          [key: string]: number | null;
        };
      };
      figures?: string;
      filing_dates?: string;
      begins?: string;
      columns: string[];
      rows: (string | number | boolean | null)[][];
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    ValuationHistoryAnswer: {
      country?: components["schemas"]["Country"];
      data: components["schemas"]["ValuationHistory"];
      /** Format: date-time */
      as_of: string;
    };
    ValuationHistoryObjects: {
      name: string;
      /** Format: date */
      session: string | null;
      metrics: {
        [key: string]: {
          [key: string]: number | null;
        };
      };
      figures?: string;
      filing_dates?: string;
      begins?: string;
      columns: string[];
      rows: {
        [key: string]: string | number | boolean | null;
      }[];
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    AnalyzePortfolioResult: {
      currency: string;
      value: number | null;
      /** Format: date */
      session: string;
      columns: string[];
      rows: (string | number | boolean | null)[][];
      weights?: {
        [key: string]: {
          [key: string]: number | null;
        };
      };
      performance?: {
        /** Format: date */
        from_session: string;
        /** Format: date */
        to_session: string;
        return: number | null;
        total_return: number | null;
        start_value?: number | null;
        end_value?: number | null;
      };
      risk?: {
        volatility: number | null;
        max_drawdown: number | null;
        /** Format: date */
        peak_session: string | null;
        /** Format: date */
        trough_session: string | null;
        /** Format: date */
        recovered_session: string | null;
        benchmark: string | null;
        benchmark_return: number | null;
        beta: number | null;
        correlation: number | null;
      };
      income?: {
        last_12_months: number | null;
        yield: number | null;
      };
      ratios?: {
        pe: number | null;
        pb: number | null;
        gross_margin?: number | null;
        operating_margin?: number | null;
        net_margin: number | null;
        coverage: number | null;
      };
      next?: {
        columns: string[];
        rows: (string | number | boolean | null)[][];
        total: number;
      };
      rates?: {
        from: string;
        to: string;
        rate: number | null;
        /** Format: date */
        date: string | null;
        first_rate?: number;
        /** Format: date */
        first_date?: string;
        /** Format: date */
        begins?: string;
      }[];
      notes?: string[];
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    AnalyzePortfolioResultAnswer: {
      data: components["schemas"]["AnalyzePortfolioResult"];
      /** Format: date-time */
      as_of: string;
    };
    AnalyzePortfolioResultObjects: {
      currency: string;
      value: number | null;
      /** Format: date */
      session: string;
      columns: string[];
      rows: {
        [key: string]: string | number | boolean | null;
      }[];
      weights?: {
        [key: string]: {
          [key: string]: number | null;
        };
      };
      performance?: {
        /** Format: date */
        from_session: string;
        /** Format: date */
        to_session: string;
        return: number | null;
        total_return: number | null;
        start_value?: number | null;
        end_value?: number | null;
      };
      risk?: {
        volatility: number | null;
        max_drawdown: number | null;
        /** Format: date */
        peak_session: string | null;
        /** Format: date */
        trough_session: string | null;
        /** Format: date */
        recovered_session: string | null;
        benchmark: string | null;
        benchmark_return: number | null;
        beta: number | null;
        correlation: number | null;
      };
      income?: {
        last_12_months: number | null;
        yield: number | null;
      };
      ratios?: {
        pe: number | null;
        pb: number | null;
        gross_margin?: number | null;
        operating_margin?: number | null;
        net_margin: number | null;
        coverage: number | null;
      };
      next?: {
        columns: string[];
        rows: {
          [key: string]: string | number | boolean | null;
        }[];
        total: number;
      };
      rates?: {
        from: string;
        to: string;
        rate: number | null;
        /** Format: date */
        date: string | null;
        first_rate?: number;
        /** Format: date */
        first_date?: string;
        /** Format: date */
        begins?: string;
      }[];
      notes?: string[];
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    EarningsCalendar: {
      earnings: {
        symbol: string;
        name: string;
        /** Format: date */
        date: string;
        /** @enum {string} */
        session: "before_market_open" | "after_market_close" | "not_supplied";
        fiscal_period: string | null;
        eps_estimate: number | null;
        revenue_estimate: number | null;
        market_cap: number | null;
        eps_actual?: number;
        surprise_percent?: number | null;
      }[];
      without_date: string[];
      not_covered: string[];
      unknown: string[];
      total: number;
      next_cursor?: string;
      columns?: string[];
      rows?: (string | number | boolean | null)[][];
      begins?: string;
      /** Format: date */
      known_to?: string;
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
    EarningsCalendarAnswer: {
      data: components["schemas"]["EarningsCalendar"];
      /** Format: date-time */
      as_of: string;
    };
    EarningsCalendarObjects: {
      earnings: {
        symbol: string;
        name: string;
        /** Format: date */
        date: string;
        /** @enum {string} */
        session: "before_market_open" | "after_market_close" | "not_supplied";
        fiscal_period: string | null;
        eps_estimate: number | null;
        revenue_estimate: number | null;
        market_cap: number | null;
        eps_actual?: number;
        surprise_percent?: number | null;
      }[];
      without_date: string[];
      not_covered: string[];
      unknown: string[];
      total: number;
      next_cursor?: string;
      columns?: string[];
      rows?: {
        [key: string]: string | number | boolean | null;
      }[];
      begins?: string;
      /** Format: date */
      known_to?: string;
      source: string | null;
      understood_as?: string;
      delisted?: string;
    };
  };
  responses: never;
  parameters: {
    format: "json" | "csv";
    as: "csv_link";
    rows: "lists" | "objects";
    "If-None-Match": string;
    "MCP-Protocol-Version": string;
    country: components["schemas"]["Country"];
    sector:
      | "basic-materials"
      | "communication-services"
      | "consumer-cyclical"
      | "consumer-defensive"
      | "energy"
      | "financial-services"
      | "healthcare"
      | "industrials"
      | "real-estate"
      | "technology"
      | "utilities";
    from: string;
    period: "annual" | "quarterly";
    limit: number;
    figures: "true" | "false" | "only";
    known_on: string;
    adjust: "split" | "none" | "total";
    adjusted: boolean;
    currency: "USD" | "JPY" | "VND" | "EUR" | "GBP" | "AUD" | "CAD" | "CHF" | "CNY";
    cursor: string;
    to: string;
    symbol: string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  get_markets: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MarketsAnswer"];
        };
      };
    };
  };
  list_symbols: {
    parameters: {
      query?: {
        country?: components["schemas"]["Country"];
        type?: "commodity" | "cryptocurrency" | "currency" | "etf" | "index" | "reit" | "stock";
        sector?: components["parameters"]["sector"];
        query?: string;
        queries?: string;
        sort?: "relevance" | "name" | "-market_cap" | "-change_percent" | "change_percent";
        limit?: number;
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SymbolsAnswer"];
        };
      };
    };
  };
  get_macro_indicators: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
        category?:
          | "gdp"
          | "labor"
          | "prices"
          | "money"
          | "consumer"
          | "housing"
          | "business"
          | "trade"
          | "government"
          | "energy";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MacroIndicatorsAnswer"];
        };
      };
    };
  };
  get_macro_history: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
        series: string;
        from?: string;
        to?: components["parameters"]["to"];
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["MacroHistoryObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_macro_forecast: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
        categories?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MacroForecastAnswer"];
        };
      };
    };
  };
  get_macro_calendar: {
    parameters: {
      query?: {
        country?: components["schemas"]["Country"];
        countries?: string;
        from?: string;
        to?: string;
        importance?: string;
        limit?: number;
        cursor?: components["parameters"]["cursor"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["MacroCalendarAnswer"];
        };
      };
    };
  };
  get_sectors: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
        sector?:
          | "basic-materials"
          | "communication-services"
          | "consumer-cyclical"
          | "consumer-defensive"
          | "energy"
          | "financial-services"
          | "healthcare"
          | "industrials"
          | "real-estate"
          | "technology"
          | "utilities";
        level?: "sector" | "industry";
        columns?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["SectorsObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_sector_overview: {
    parameters: {
      query?: {
        level?: "sector" | "industry";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SectorOverviewAnswer"];
        };
      };
    };
  };
  screen_stocks: {
    parameters: {
      query: {
        country: string;
        sector?: components["parameters"]["sector"];
        industry?: string;
        where?: string;
        sort?: string;
        metrics?: string;
        currency?: "USD" | "JPY" | "VND" | "EUR" | "GBP" | "AUD" | "CAD" | "CHF" | "CNY";
        limit?: number;
        cursor?: components["parameters"]["cursor"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["ScreenStocksResultObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  compare_stocks: {
    parameters: {
      query: {
        symbols: string;
        metrics?: string;
        currency?: "USD" | "JPY" | "VND" | "EUR" | "GBP" | "AUD" | "CAD" | "CHF" | "CNY";
        rank?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["CompareStocksResultObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_stock_overview: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
      };
      header?: never;
      path: {
        symbol: components["parameters"]["symbol"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StockOverviewAnswer"];
        };
      };
    };
  };
  get_stock_statements: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
        type: "income" | "balance" | "cashflow";
        period?: components["parameters"]["period"];
        limit?: components["parameters"]["limit"];
        figures?: components["parameters"]["figures"];
        known_on?: components["parameters"]["known_on"];
      };
      header?: never;
      path: {
        symbol: components["parameters"]["symbol"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["StockStatementsObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_stock_ratios: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
        period?: components["parameters"]["period"];
        limit?: components["parameters"]["limit"];
        figures?: components["parameters"]["figures"];
        known_on?: components["parameters"]["known_on"];
      };
      header?: never;
      path: {
        symbol: components["parameters"]["symbol"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["StockStatementsObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_stock_technicals: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
        votes?: boolean;
      };
      header?: never;
      path: {
        symbol: components["parameters"]["symbol"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["StockTechnicalsObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_stock_forecast: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
        sections?: string;
        limit?: number;
      };
      header?: never;
      path: {
        symbol: components["parameters"]["symbol"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["StockForecastAnswer"];
        };
      };
    };
  };
  get_stock_price_history: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
        range?:
          "1d" | "1w" | "1m" | "3m" | "6m" | "ytd" | "1y" | "2y" | "3y" | "5y" | "10y" | "max";
        from?: string;
        to?: components["parameters"]["to"];
        interval?: "1d" | "1wk" | "1mo";
        fields?: "close" | "ohlcv";
        limit?: number;
        before?: string;
        adjust?: components["parameters"]["adjust"];
        adjusted?: components["parameters"]["adjusted"];
        currency?: components["parameters"]["currency"];
        row_rates?: boolean;
        snapshot?: boolean;
        dividends?: boolean;
        splits?: boolean;
      };
      header?: never;
      path: {
        symbol: components["parameters"]["symbol"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["StockPriceHistoryObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_price_statistics: {
    parameters: {
      query: {
        symbols: string;
        range?:
          "1d" | "1w" | "1m" | "3m" | "6m" | "ytd" | "1y" | "2y" | "3y" | "5y" | "10y" | "max";
        from?: components["parameters"]["from"];
        to?: components["parameters"]["to"];
        years?: string;
        months?: string;
        interval?: "1d" | "1wk" | "1mo";
        currency?: components["parameters"]["currency"];
        columns?: string;
        dates?: string;
        adjust?: components["parameters"]["adjust"];
        adjusted?: components["parameters"]["adjusted"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["PriceStatisticsObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_valuation_history: {
    parameters: {
      query: {
        country: components["parameters"]["country"];
        metric?: string;
        range?: "1y" | "3y" | "5y" | "10y" | "max";
        from?: string;
        to?: components["parameters"]["to"];
        interval?: "1wk" | "1mo";
      };
      header?: never;
      path: {
        symbol: components["parameters"]["symbol"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["ValuationHistoryObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  analyze_portfolio: {
    parameters: {
      query: {
        holdings: string;
        currency?: "USD" | "JPY" | "VND" | "EUR" | "GBP" | "AUD" | "CAD" | "CHF" | "CNY";
        range?:
          "1d" | "1w" | "1m" | "3m" | "6m" | "ytd" | "1y" | "2y" | "3y" | "5y" | "10y" | "max";
        from?: components["parameters"]["from"];
        to?: components["parameters"]["to"];
        benchmark?: string;
        rebalance?: "none" | "monthly";
        columns?: string;
        parts?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["AnalyzePortfolioResultObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_earnings_calendar: {
    parameters: {
      query?: {
        tickers?: string;
        from?: string;
        to?: components["parameters"]["to"];
        limit?: number;
        cursor?: components["parameters"]["cursor"];
        table?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["EarningsCalendarObjects"];
            as_of: string;
          };
        };
      };
    };
  };
}
