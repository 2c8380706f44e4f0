// Written by `bun run docs` from the OpenAPI document 2y4pi8ptifj1c. Do not edit it.
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
  "/lists",
  "/lists/{name}",
];

export interface paths {
  "/api/v1/svc/data/markets": {
    get: operations["get_markets"];
  };
  "/api/v1/svc/data/symbols": {
    get: operations["list_symbols"];
  };
  "/api/v1/svc/data/macro/indicators": {
    get: operations["get_macro_indicators"];
  };
  "/api/v1/svc/data/macro/history": {
    get: operations["get_macro_history"];
  };
  "/api/v1/svc/data/macro/forecast": {
    get: operations["get_macro_forecast"];
  };
  "/api/v1/svc/data/macro/calendar": {
    get: operations["get_macro_calendar"];
  };
  "/api/v1/svc/data/sectors": {
    get: operations["get_sectors"];
  };
  "/api/v1/svc/data/sectors/overview": {
    get: operations["get_sector_overview"];
  };
  "/api/v1/svc/data/stocks/screen": {
    get: operations["screen_stocks"];
  };
  "/api/v1/svc/data/stocks/compare": {
    get: operations["compare_stocks"];
  };
  "/api/v1/svc/data/stocks/{symbol}/overview": {
    get: operations["get_stock_overview"];
  };
  "/api/v1/svc/data/stocks/{symbol}/statements": {
    get: operations["get_stock_statements"];
  };
  "/api/v1/svc/data/stocks/{symbol}/ratios": {
    get: operations["get_stock_ratios"];
  };
  "/api/v1/svc/data/stocks/{symbol}/technicals": {
    get: operations["get_stock_technicals"];
  };
  "/api/v1/svc/data/stocks/{symbol}/forecast": {
    get: operations["get_stock_forecast"];
  };
  "/api/v1/svc/data/stocks/{symbol}/history": {
    get: operations["get_stock_price_history"];
  };
  "/api/v1/svc/data/prices/statistics": {
    get: operations["get_price_statistics"];
  };
  "/api/v1/svc/data/stocks/{symbol}/valuation": {
    get: operations["get_valuation_history"];
  };
  "/api/v1/svc/data/portfolio": {
    get: operations["analyze_portfolio"];
  };
  "/api/v1/svc/data/earnings/calendar": {
    get: operations["get_earnings_calendar"];
  };
  "/api/v1/svc/data/lists": {
    get: operations["get_lists"];
  };
  "/api/v1/svc/data/lists/{name}": {
    get: operations["get_list"];
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    ErrorEnvelope: {
      error: {
        type:
          | "invalid_request"
          | "authentication_error"
          | "rate_limit_error"
          | "not_found"
          | "server_error";
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
      price?: number | null;
      change_percent?: number | null;
      volume?: number | null;
      high_52w?: number | null;
      low_52w?: number | null;
      volatility?: number | null;
      beta?: number | null;
      rsi?: number | null;
      macd?: number | null;
      below_high_52w?: number | null;
      above_low_52w?: number | null;
      return_1d?: number | null;
      return_1w?: number | null;
      return_1m?: number | null;
      return_3m?: number | null;
      return_6m?: number | null;
      return_ytd?: number | null;
      return_1y?: number | null;
      return_5y?: number | null;
      return_10y?: number | null;
      total_return_1y?: number | null;
      total_return_5y?: number | null;
      change_1_session_ago?: number | null;
      change_2_sessions_ago?: number | null;
      change_3_sessions_ago?: number | null;
      change_4_sessions_ago?: number | null;
      market_cap?: number | null;
      enterprise_value?: number | null;
      pe?: number | null;
      forward_pe?: number | null;
      pb?: number | null;
      ps?: number | null;
      pcf?: number | null;
      pfcf?: number | null;
      peg?: number | null;
      ev_ebitda?: number | null;
      ev_revenue?: number | null;
      ev_ebit?: number | null;
      fcf_yield?: number | null;
      dividend_yield?: number | null;
      dividend_per_share?: number | null;
      dividend_growth_1y?: number | null;
      dividend_growth_5y?: number | null;
      dividend_years_raised?: number | null;
      dividend_years_paid?: number | null;
      next_ex_date?: string | null;
      payout_ratio?: number | null;
      revenue?: number | null;
      revenue_growth?: number | null;
      gross_profit?: number | null;
      operating_income?: number | null;
      ebitda?: number | null;
      net_income?: number | null;
      eps?: number | null;
      eps_growth?: number | null;
      total_assets?: number | null;
      current_assets?: number | null;
      cash?: number | null;
      shares_outstanding?: number | null;
      total_liabilities?: number | null;
      total_debt?: number | null;
      net_debt?: number | null;
      total_equity?: number | null;
      current_ratio?: number | null;
      quick_ratio?: number | null;
      debt_to_equity?: number | null;
      cash_to_debt?: number | null;
      operating_cash_flow?: number | null;
      investing_cash_flow?: number | null;
      financing_cash_flow?: number | null;
      free_cash_flow?: number | null;
      capital_expenditure?: number | null;
      gross_margin?: number | null;
      operating_margin?: number | null;
      net_margin?: number | null;
      fcf_margin?: number | null;
      roe?: number | null;
      roa?: number | null;
      roic?: number | null;
      pe_5y_median?: number | null;
      pe_percentile_5y?: number | null;
      pb_5y_median?: number | null;
      pb_percentile_5y?: number | null;
      ps_5y_median?: number | null;
      ps_percentile_5y?: number | null;
      ev_ebitda_5y_median?: number | null;
      ev_ebitda_percentile_5y?: number | null;
      dividend_yield_5y_median?: number | null;
      dividend_yield_percentile_5y?: number | null;
      eps_surprise_last?: number | null;
      eps_beats_4q?: number | null;
      filing_date?: string | null;
      fiscal_period?: string | null;
      rating?: number | null;
      analyst_count?: number | null;
      target_price?: number | null;
      target_upside?: number | null;
      employees?: number | null;
    };
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
        type: "commodity" | "cryptocurrency" | "currency" | "etf" | "index" | "reit" | "stock";
        sector: string | null;
        currency: string;
        price: number | null;
        change_percent: number | null;
        market_cap: number | null;
        /** Format: date */
        session?: string;
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
    MacroHistoryObjects: {
      name: string;
      category: string;
      unit: string;
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
        importance: "high" | "medium" | "low";
        previous: string | null;
        forecast: string | null;
        consensus: string | null;
        actual: string | null;
        currency: string;
        unit?: string;
        series?: string;
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
    SectorsObjects: {
      country_pe: number | null;
      country_pe_of: "index members" | "all companies";
      country_pe_5y_avg: number | null;
      country_index_name: string;
      country_valuation_status:
        "Very expensive" | "Expensive" | "Fair" | "Cheap" | "Very cheap" | "insufficient_history";
      country_valuation_window: string;
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
      coverage: string;
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
      "Local name"?: string;
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
    StockPriceHistoryObjects: {
      name: string;
      currency: string;
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
    ValuationHistoryObjects: {
      name: string;
      /** Format: date */
      session: string | null;
      metrics: {
        [key: string]: {
          [key: string]: number | null;
        };
      };
      verdicts: {
        [key: string]: string | null;
      };
      verdict_window: string;
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
    EarningsCalendarObjects: {
      earnings: {
        symbol: string;
        name: string;
        /** Format: date */
        date: string;
        session: "before_market_open" | "after_market_close" | "not_supplied";
        fiscal_period: string | null;
        eps_estimate: number | null;
        revenue_estimate: number | null;
        market_cap: number | null;
        currency?: string;
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
    ListsObjects: {
      name: string | null;
      columns: string[];
      rows: ({
        [key: string]: string | number | boolean | null;
      } & components["schemas"]["Metrics"])[];
      total: number;
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
      next_cursor?: string;
      source: string | null;
      understood_as?: string;
    };
  };
  parameters: {
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
    metrics: string;
    name: string;
    cursor: string;
    to: string;
    symbol: string;
  };
}
export type $defs = Record<string, never>;
export interface operations {
  get_markets: {
    parameters: {};
    responses: {
      200: {
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
    };
    responses: {
      200: {
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
    };
    responses: {
      200: {
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
    };
    responses: {
      200: {
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
    };
    responses: {
      200: {
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
    };
    responses: {
      200: {
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
    };
    responses: {
      200: {
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
    };
    responses: {
      200: {
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
    };
    responses: {
      200: {
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
    };
    responses: {
      200: {
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
      path: {
        symbol: components["parameters"]["symbol"];
      };
    };
    responses: {
      200: {
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
      path: {
        symbol: components["parameters"]["symbol"];
      };
    };
    responses: {
      200: {
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
      path: {
        symbol: components["parameters"]["symbol"];
      };
    };
    responses: {
      200: {
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
      path: {
        symbol: components["parameters"]["symbol"];
      };
    };
    responses: {
      200: {
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
      path: {
        symbol: components["parameters"]["symbol"];
      };
    };
    responses: {
      200: {
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
        currency?: "USD" | "JPY" | "VND" | "EUR" | "GBP" | "AUD" | "CAD" | "CHF" | "CNY";
        row_rates?: boolean;
        snapshot?: boolean;
        dividends?: boolean;
        splits?: boolean;
      };
      path: {
        symbol: components["parameters"]["symbol"];
      };
    };
    responses: {
      200: {
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
        currency?: "USD" | "JPY" | "VND" | "EUR" | "GBP" | "AUD" | "CAD" | "CHF" | "CNY";
        columns?: string;
        dates?: string;
        adjust?: components["parameters"]["adjust"];
        adjusted?: components["parameters"]["adjusted"];
      };
    };
    responses: {
      200: {
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
      path: {
        symbol: components["parameters"]["symbol"];
      };
    };
    responses: {
      200: {
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
    };
    responses: {
      200: {
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
        country?: components["schemas"]["Country"];
        limit?: number;
        cursor?: components["parameters"]["cursor"];
        table?: boolean;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["EarningsCalendarObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_lists: {
    parameters: {
      query?: {
        name?: string;
        metrics?: components["parameters"]["metrics"];
        currency?: components["parameters"]["currency"];
        cursor?: components["parameters"]["cursor"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["ListsObjects"];
            as_of: string;
          };
        };
      };
    };
  };
  get_list: {
    parameters: {
      query?: {
        metrics?: components["parameters"]["metrics"];
        currency?: components["parameters"]["currency"];
        cursor?: components["parameters"]["cursor"];
      };
      path: {
        name: components["parameters"]["name"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["ListsObjects"];
            as_of: string;
          };
        };
      };
    };
  };
}
