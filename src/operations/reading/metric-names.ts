import { METRIC_NAMES, type Metric, type MetricName, METRICS } from "#analytics/metrics.ts";
import { asTyped } from "#lib/as-typed.ts";
import { lazy } from "#lib/lazy.ts";
import { normalForm, withoutMarks } from "#lib/normal-form.ts";

/** What people call a metric in three languages. Case, spaces and marks of ASCII names do not matter. */
const OTHER_NAMES: Readonly<Partial<Record<MetricName, string>>> = {
  price:
    "close|closing price|last price|share price|stock price|current price|株価|終値|現在値|giá|giá đóng cửa|giá cổ phiếu|thị giá",
  change_percent:
    "change|percent change|daily change|day change|騰落率|前日比|thay đổi|% thay đổi|1日|1 day|1 ngày|値上がり率",
  volume: "trading volume|出来高|khối lượng|khối lượng giao dịch|klgd|kl|khối lượng gd",
  traded_value: "売買代金|gtgd|thanh khoản|giá trị giao dịch|value traded|trading value",
  min_investment:
    "最低投資金額|最低購入代金|giá trị tối thiểu (1 lô)|giá trị một lô|minimum purchase",
  reference_price: "基準値段|giá tham chiếu|tham chiếu|base price",
  ceiling_price: "値幅上限（ストップ高）|値幅上限|ストップ高値段|giá trần|ceiling|upper limit",
  floor_price: "値幅下限（ストップ安）|値幅下限|ストップ安値段|giá sàn|floor|lower limit",
  below_ceiling: "ストップ高まで|ストップ高までの値幅|cách giá trần|cách trần",
  above_floor: "ストップ安まで|ストップ安までの値幅|cách giá sàn|cách sàn",
  foreign_net_value:
    "外国人買い越し額|外国人買い越し|khối ngoại mua ròng|giá trị mua ròng khối ngoại|nđtnn mua ròng|nước ngoài mua ròng|net foreign buying",
  foreign_room:
    "外国人保有枠の残り|room ngoại|room nước ngoài|room khối ngoại|room còn lại|foreign ownership room",
  high_ytd: "年初来高値|cao nhất từ đầu năm|ytd high",
  low_ytd: "年初来安値|thấp nhất từ đầu năm|ytd low",
  below_high_ytd: "年初来高値からの下落率|thấp hơn đỉnh từ đầu năm",
  above_low_ytd: "年初来安値からの上昇率|cao hơn đáy từ đầu năm",
  high_52w: "52 week high|52w high|52週高値|cao nhất 52 tuần",
  low_52w: "52 week low|52w low|52週安値|thấp nhất 52 tuần",
  volatility: "annual volatility|ボラティリティ|biến động|độ biến động",
  beta: "ベータ|ベータ値",
  rsi: "rsi 14",
  return_1y:
    "1 year return|1y return|one year return|1年|1 năm|1 year|騰落率（1年）|hiệu suất 1 năm",
  return_ytd:
    "ytd return|ytd|year to date return|年初来騰落率|年初来|từ đầu năm|this year|hiệu suất từ đầu năm",
  market_cap:
    "market capitalization|market capitalisation|market value|時価総額|vốn hóa|vốn hoá|vốn hóa thị trường|vốn hoá thị trường",
  enterprise_value: "企業価値|企業価値 (ev)|giá trị doanh nghiệp",
  pe: "per|price to earnings|price earnings ratio|pe ratio|trailing pe|株価収益率|hệ số p/e|chỉ số p/e|per（実績）|実績per",
  forward_pe: "forward pe ratio|予想per|p/e dự phóng|予想per（来期）|来期per|来期予想per",
  pb: "pbr|price to book|pb ratio|株価純資産倍率|hệ số p/b|chỉ số p/b",
  ps: "psr|price to sales|ps ratio|株価売上高倍率|hệ số p/s",
  pcf: "pcfr|price to cash flow",
  peg: "peg|peg ratio",
  ev_ebitda: "ev to ebitda|ev/ebitda倍率",
  ev_revenue: "ev to revenue|ev to sales|ev/sales|ev/売上高|ev/doanh thu",
  fcf_yield: "free cash flow yield|fcf利回り|tỷ suất fcf",
  dividend_yield: "div yield|dividend yield|配当利回り|tỷ suất cổ tức|配当利回り（実績）",
  dividend_per_share:
    "dps|dividends per share|annual dividend|1株配当|1株当たり配当金|cổ tức|cổ tức mỗi cổ phiếu|cổ tức tiền mặt|cổ tức bằng tiền|cổ tức bằng tiền mặt",
  payout_ratio: "dividend payout ratio|配当性向|tỷ lệ chi trả cổ tức",
  revenue:
    "sales|net sales|total revenue|turnover|売上|売上高|売上収益|営業収益|doanh thu|doanh thu thuần|tổng doanh thu",
  revenue_growth:
    "sales growth|revenue growth yoy|yoy revenue growth|増収率|売上高成長率|tăng trưởng doanh thu|tốc độ tăng trưởng doanh thu",
  gross_profit: "売上総利益|粗利益|lợi nhuận gộp",
  operating_income:
    "operating profit|営業利益|lợi nhuận hoạt động|lợi nhuận từ hoạt động kinh doanh|lợi nhuận hoạt động (ebit)",
  net_income:
    "net profit|net earnings|profit after tax|純利益|当期純利益|最終利益|lợi nhuận ròng|lợi nhuận sau thuế|lnst|lnst cổ đông công ty mẹ|lãi ròng|lợi nhuận sau thuế của cổ đông công ty mẹ",
  eps: "diluted eps|earnings per share|diluted earnings per share|1株利益|1株当たり利益|1株当たり当期純利益|lợi nhuận trên mỗi cổ phiếu|thu nhập trên mỗi cổ phiếu|希薄化後eps|lãi suy giảm trên cổ phiếu|lãi trên cổ phiếu",
  eps_growth:
    "eps growth yoy|tăng trưởng eps|希薄化後eps成長率|eps成長率|tăng trưởng eps pha loãng|tốc độ tăng trưởng eps",
  total_assets: "assets|総資産|資産合計|tổng tài sản",
  current_assets: "流動資産|tài sản ngắn hạn",
  cash: "cash and equivalents|cash and cash equivalents|現金|現預金|現金及び現金同等物|tiền mặt|tiền và tương đương tiền",
  shares_outstanding: "発行済株式数|số cổ phiếu lưu hành|cổ phiếu lưu hành|số cp đang lưu hành",
  total_liabilities: "liabilities|負債合計|総負債|nợ phải trả|tổng nợ phải trả",
  total_debt: "debt|有利子負債|nợ vay|tổng nợ vay",
  net_debt: "純有利子負債|nợ ròng|nợ vay ròng",
  total_equity: "equity|純資産|純資産合計|vốn chủ sở hữu|vcsh",
  current_ratio: "流動比率|hệ số thanh toán hiện hành",
  quick_ratio: "当座比率|hệ số thanh toán nhanh",
  debt_to_equity:
    "debt to equity ratio|d/e|d/e ratio|負債資本倍率|nợ/vốn chủ sở hữu|d/eレシオ|nợ vay / vcsh|nợ vay/vốn chủ sở hữu|nợ vay/vcsh|nợ/vcsh|有利子負債比率",
  operating_cash_flow:
    "cash flow from operations|cash from operations|営業キャッシュフロー|営業キャッシュ・フロー|営業cf|dòng tiền từ hoạt động kinh doanh|lưu chuyển tiền từ hđ kinh doanh",
  investing_cash_flow:
    "cash flow from investing|投資キャッシュフロー|投資cf|dòng tiền từ hoạt động đầu tư|lưu chuyển tiền từ hđ đầu tư",
  financing_cash_flow:
    "cash flow from financing|財務キャッシュフロー|財務cf|dòng tiền từ hoạt động tài chính|lưu chuyển tiền từ hđ tài chính",
  free_cash_flow: "フリーキャッシュフロー|フリーcf|dòng tiền tự do|fcf",
  capital_expenditure: "capital expenditures|capex|設備投資|設備投資額|chi đầu tư tscđ",
  gross_margin: "gross profit margin|売上総利益率|粗利率|biên lợi nhuận gộp",
  operating_margin:
    "operating profit margin|営業利益率|売上高営業利益率|biên lợi nhuận hoạt động|biên ebit",
  net_margin:
    "net profit margin|net income margin|純利益率|売上高純利益率|biên lợi nhuận ròng|biên lãi ròng",
  roe: "return on equity|自己資本利益率|株主資本利益率",
  roa: "return on assets|総資産利益率",
  roic: "return on invested capital|投下資本利益率",
  next_ex_date: "ex dividend date|権利落ち日|ngày gdkhq|次の配当落ち日|配当落ち日|ngày gdkhq tới",
  last_cum_date:
    "権利付き最終日|権利付最終日|最終売買日|ngày cuối hưởng cổ tức|ngày cuối cùng hưởng quyền|last cum dividend date",
  equity_ratio:
    "自己資本比率|株主資本比率|tỷ lệ vốn chủ sở hữu|vcsh / tổng tài sản|equity to assets",
  rating: "アナリスト評価|khuyến nghị|khuyến nghị của nhà phân tích",
  target_price: "price target|analyst target|目標株価|giá mục tiêu",
  employees: "number of employees|headcount|従業員数|従業員|số nhân viên|nhân viên",
  macd: "macd (12,26) 値|macd (12,26) giá trị",
  below_high_52w: "52週高値からの下落率|thấp hơn đỉnh 52 tuần",
  above_low_52w: "52週安値からの上昇率|cao hơn đáy 52 tuần",
  return_1d: "リターン（1日）|tỷ suất sinh lời (1 ngày)",
  return_1w: "1週間|1 week|1 tuần|騰落率（1週間）|hiệu suất 1 tuần",
  return_1m: "1か月|1 month|1 tháng|騰落率（1か月）|hiệu suất 1 tháng",
  return_3m: "3か月|3 months|3 tháng|騰落率（3か月）|hiệu suất 3 tháng",
  return_6m: "6か月|6 months|6 tháng|騰落率（6か月）|hiệu suất 6 tháng",
  return_5y: "5年|5 years|5 năm|騰落率（5年）|hiệu suất 5 năm",
  return_10y: "10年|10 years|10 năm|騰落率（10年）|hiệu suất 10 năm",
  total_return_1y: "トータルリターン（1年）|tổng tỷ suất sinh lời (1 năm)",
  total_return_5y: "トータルリターン（5年）|tổng tỷ suất sinh lời (5 năm)",
  change_1_session_ago: "日次騰落率（1取引日前）|thay đổi trong ngày (1 phiên trước)",
  change_2_sessions_ago: "日次騰落率（2取引日前）|thay đổi trong ngày (2 phiên trước)",
  change_3_sessions_ago: "日次騰落率（3取引日前）|thay đổi trong ngày (3 phiên trước)",
  change_4_sessions_ago: "日次騰落率（4取引日前）|thay đổi trong ngày (4 phiên trước)",
  dividend_growth_1y: "増配率（1年）|増配率|tăng trưởng cổ tức (1 năm)",
  dividend_growth_5y: "年平均増配率（5年）|tăng trưởng cổ tức hằng năm (5 năm)",
  dividend_years_raised: "連続増配年数|連続増配|số năm tăng cổ tức liên tiếp",
  dividend_years_paid: "連続配当年数|số năm trả cổ tức liên tiếp",
  cash_to_debt: "現預金/有利子負債|tiền / nợ vay",
  fcf_margin: "fcfマージン|biên fcf",
  pe_5y_median: "per（5年中央値）|p/e (trung vị 5 năm)",
  pe_percentile_5y: "per（5年パーセンタイル）|p/e (phân vị 5 năm)",
  pb_5y_median: "pbr（5年中央値）|p/b (trung vị 5 năm)",
  pb_percentile_5y: "pbr（5年パーセンタイル）|p/b (phân vị 5 năm)",
  ps_5y_median: "psr（5年中央値）|p/s (trung vị 5 năm)",
  ps_percentile_5y: "psr（5年パーセンタイル）|p/s (phân vị 5 năm)",
  ev_ebitda_5y_median: "ev/ebitda（5年中央値）|ev/ebitda (trung vị 5 năm)",
  ev_ebitda_percentile_5y: "ev/ebitda（5年パーセンタイル）|ev/ebitda (phân vị 5 năm)",
  dividend_yield_5y_median: "配当利回り（5年中央値）|tỷ suất cổ tức (trung vị 5 năm)",
  dividend_yield_percentile_5y: "配当利回り（5年パーセンタイル）|tỷ suất cổ tức (phân vị 5 năm)",
  eps_surprise_last:
    "epsサプライズ（直近四半期）|epsサプライズ|chênh lệch eps so với ước tính (quý gần nhất)",
  eps_beats_4q: "epsの予想超え（直近4四半期）|eps vượt ước tính (4 quý gần nhất)",
  filing_date: "提出日|ngày nộp báo cáo",
  fiscal_period: "会計期間|kỳ tài chính",
  analyst_count: "アナリスト数|số nhà phân tích",
  target_upside:
    "目標株価との乖離率|目標株価までの上昇率|tiềm năng tăng giá|tiềm năng tăng tới giá mục tiêu|目標株価乖離率",
};

const IS_ASCII = /^[\x20-\x7E]+$/;

/** In lower case, and with brackets and digits of half width. */
const folded = (text: string) => normalForm(text, "NFKC").trim().toLowerCase();

/** Only the letters and digits of a name in lower case, so that `marketCap` is `market_cap`. */
const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** A display label without the period in it: `Op income` for `Op incomeTTM`. */
const withoutPeriod = (label: string) => label.replace(/(?:TTM|FQ)(?=$| )/, "");

/** Names, display labels and other names of metrics in lower case, and the letters of each. */
export const metricsByName: () => ReadonlyMap<string, MetricName> = lazy(
  () =>
    new Map(
      METRIC_NAMES.flatMap((name) => {
        const { label, title }: Metric = METRICS[name];
        const labels = label === undefined ? [] : [label, withoutPeriod(label)];
        const others = OTHER_NAMES[name]?.split("|") ?? [];
        return [name, ...labels, ...(title === undefined ? [] : [title]), ...others].flatMap(
          (text) =>
            (IS_ASCII.test(text) ? [text.toLowerCase(), lettersOf(text)] : [folded(text)]).map(
              (one) => [one, name] as const,
            ),
        );
      }),
    ),
);

/** The Vietnamese names by their forms without marks, where that form is no other name and of one metric. */
export const vietnameseNames: () => ReadonlyMap<string, string> = lazy(() => {
  const metrics = metricsByName();
  return new Map(
    [...Map.groupBy(metrics.keys(), withoutMarks)].flatMap(([plain, names]) => {
      const [name = plain] = names;
      const isOne = new Set(names.map((one) => metrics.get(one))).size === 1;
      return isOne && IS_ASCII.test(plain) && !names.includes(plain)
        ? [[plain, name] as const]
        : [];
    }),
  );
});

/** The metric that a text names, in any case and form, also without the marks of Vietnamese; null if none. */
export function findMetric(text: string): MetricName | null {
  const written = folded(asTyped(text));
  const metrics = metricsByName();
  const byLetters = /^\w[\x20-\x7E]*$/.test(written) && metrics.get(lettersOf(written));
  return metrics.get(vietnameseNames().get(written) ?? written) || byLetters || null;
}

const NEXT_YEAR =
  "forward_pe is price / the analysts' EPS of the next fiscal year, not of the running one";
/** What to know about a metric by a name that its market can mean otherwise. */
const CAVEATS: Readonly<Record<string, string>> = {
  予想per: `${NEXT_YEAR}; get_stock_forecast has the company's own forecast (会社予想)`,
  "p/e dự phóng": NEXT_YEAR,
  "nợ/vốn chủ sở hữu": "debt_to_equity has borrowings (nợ vay) only, not all liabilities",
  "nợ/vcsh": "debt_to_equity has borrowings (nợ vay) only, not all liabilities",
  "biến động": "volatility is annual; change_percent is the change of the day",
  "lợi nhuận từ hoạt động kinh doanh":
    "operating_income is without the financial income that line 30 of VAS has",
};

/** What to know about the metric that a text names, if its market can mean another one by it; null otherwise. */
export function caveatOf(text: string): string | null {
  const written = folded(asTyped(text));
  return CAVEATS[vietnameseNames().get(written) ?? written] ?? null;
}
