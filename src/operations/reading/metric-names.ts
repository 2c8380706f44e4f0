import { METRIC_NAMES, type Metric, type MetricName, METRICS } from "#analytics/metrics.ts";
import { asTyped } from "#lib/as-typed.ts";

/** What people call a metric in three languages. Case, spaces and marks of ASCII names do not matter. */
const OTHER_NAMES: Readonly<Partial<Record<MetricName, string>>> = {
  price:
    "close|closing price|last price|share price|stock price|current price|株価|終値|現在値|giá|giá đóng cửa|giá cổ phiếu|thị giá",
  change_percent: "change|percent change|daily change|day change|騰落率|前日比|thay đổi|% thay đổi",
  volume: "trading volume|出来高|khối lượng|khối lượng giao dịch",
  high_52w: "52 week high|52w high|52週高値|cao nhất 52 tuần",
  low_52w: "52 week low|52w low|52週安値|thấp nhất 52 tuần",
  volatility: "annual volatility|ボラティリティ|biến động",
  beta: "ベータ|ベータ値",
  rsi: "rsi 14",
  return_1y: "1 year return|1y return|one year return",
  return_ytd: "ytd return|ytd|year to date return|年初来騰落率",
  market_cap:
    "market capitalization|market capitalisation|market value|時価総額|vốn hóa|vốn hoá|vốn hóa thị trường|vốn hoá thị trường",
  enterprise_value: "企業価値|企業価値 (ev)|giá trị doanh nghiệp",
  pe: "per|price to earnings|price earnings ratio|pe ratio|trailing pe|株価収益率|hệ số p/e|chỉ số p/e",
  forward_pe: "forward pe ratio|予想per|p/e dự phóng",
  pb: "pbr|price to book|pb ratio|株価純資産倍率|hệ số p/b|chỉ số p/b",
  ps: "psr|price to sales|ps ratio|株価売上高倍率|hệ số p/s",
  pcf: "pcfr|price to cash flow",
  peg: "peg|peg ratio",
  ev_ebitda: "ev to ebitda|ev/ebitda倍率",
  ev_revenue: "ev to revenue|ev to sales|ev/sales",
  fcf_yield: "free cash flow yield",
  dividend_yield: "div yield|dividend yield|配当利回り|tỷ suất cổ tức",
  dividend_per_share:
    "dps|dividends per share|annual dividend|1株配当|1株当たり配当金|cổ tức mỗi cổ phiếu",
  payout_ratio: "dividend payout ratio|配当性向|tỷ lệ chi trả cổ tức",
  revenue:
    "sales|net sales|total revenue|turnover|売上|売上高|売上収益|営業収益|doanh thu|doanh thu thuần|tổng doanh thu",
  revenue_growth:
    "sales growth|revenue growth yoy|yoy revenue growth|増収率|売上高成長率|tăng trưởng doanh thu",
  gross_profit: "売上総利益|粗利益|lợi nhuận gộp",
  operating_income:
    "operating profit|営業利益|lợi nhuận hoạt động|lợi nhuận từ hoạt động kinh doanh",
  net_income:
    "net profit|net earnings|profit after tax|純利益|当期純利益|最終利益|lợi nhuận ròng|lợi nhuận sau thuế|lnst",
  eps: "diluted eps|earnings per share|diluted earnings per share|1株利益|1株当たり利益|1株当たり当期純利益|lợi nhuận trên mỗi cổ phiếu|thu nhập trên mỗi cổ phiếu",
  eps_growth: "eps growth yoy|tăng trưởng eps",
  total_assets: "assets|総資産|資産合計|tổng tài sản",
  current_assets: "流動資産|tài sản ngắn hạn",
  cash: "cash and equivalents|cash and cash equivalents|現金|現預金|現金及び現金同等物|tiền mặt|tiền và tương đương tiền",
  shares_outstanding: "発行済株式数|số cổ phiếu lưu hành|cổ phiếu lưu hành",
  total_liabilities: "liabilities|負債合計|総負債|nợ phải trả|tổng nợ phải trả",
  total_debt: "debt|有利子負債|nợ vay|tổng nợ vay",
  net_debt: "純有利子負債|nợ ròng",
  total_equity: "equity|純資産|純資産合計|vốn chủ sở hữu",
  current_ratio: "流動比率|hệ số thanh toán hiện hành",
  quick_ratio: "当座比率|hệ số thanh toán nhanh",
  debt_to_equity: "debt to equity ratio|d/e|d/e ratio|負債資本倍率|nợ/vốn chủ sở hữu",
  operating_cash_flow:
    "cash flow from operations|cash from operations|営業キャッシュフロー|営業キャッシュ・フロー|営業cf|dòng tiền từ hoạt động kinh doanh",
  investing_cash_flow:
    "cash flow from investing|投資キャッシュフロー|投資cf|dòng tiền từ hoạt động đầu tư",
  financing_cash_flow:
    "cash flow from financing|財務キャッシュフロー|財務cf|dòng tiền từ hoạt động tài chính",
  free_cash_flow: "フリーキャッシュフロー|フリーcf|dòng tiền tự do",
  capital_expenditure: "capital expenditures|capex|設備投資|設備投資額",
  gross_margin: "gross profit margin|売上総利益率|粗利率|biên lợi nhuận gộp",
  operating_margin: "operating profit margin|営業利益率|売上高営業利益率|biên lợi nhuận hoạt động",
  net_margin: "net profit margin|純利益率|売上高純利益率|biên lợi nhuận ròng",
  roe: "return on equity|自己資本利益率|株主資本利益率",
  roa: "return on assets|総資産利益率",
  roic: "return on invested capital|投下資本利益率",
  next_ex_date: "ex dividend date|権利落ち日|ngày gdkhq",
  rating: "アナリスト評価|khuyến nghị",
  target_price: "price target|analyst target|目標株価|giá mục tiêu",
  employees: "number of employees|headcount|従業員数|số nhân viên|nhân viên",
};

const IS_ASCII = /^[\x20-\x7E]+$/;

/** Only the letters and digits of a name in lower case, so that `marketCap` is `market_cap`. */
const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** A display label without the period in it: `Op income` for `Op incomeTTM`. */
const withoutPeriod = (label: string) => label.replace(/(?:TTM|FQ)(?=$| )/, "");

/** Names, display labels and other names of metrics in lower case, and the letters of each. */
export const METRICS_BY_NAME: ReadonlyMap<string, MetricName> = new Map(
  METRIC_NAMES.flatMap((name) => {
    const { label, title }: Metric = METRICS[name];
    const labels = label === undefined ? [] : [label, withoutPeriod(label)];
    const others = OTHER_NAMES[name]?.split("|") ?? [];
    return [name, ...labels, ...(title === undefined ? [] : [title]), ...others].flatMap((text) =>
      (IS_ASCII.test(text) ? [text.toLowerCase(), lettersOf(text)] : [text]).map(
        (one) => [one, name] as const,
      ),
    );
  }),
);

/** The metric that a text names, in any case and form; null if none. */
export function findMetric(text: string): MetricName | null {
  const written = asTyped(text).trim().toLowerCase();
  const byLetters = /^\w[\x20-\x7E]*$/.test(written) && METRICS_BY_NAME.get(lettersOf(written));
  return METRICS_BY_NAME.get(written) || byLetters || null;
}
