import { POLICY_RATE } from "#console/app/pages/economy/policy-rate.ts";
import { hasPhrase } from "#console/app/parts/search-words.ts";

/** What else people call series, by their English names: the words of each language of the console. */
const SERIES_WORDS: readonly (readonly [RegExp, string])[] = [
  [
    POLICY_RATE,
    "policy rates interest rates key rate central bank base rate 政策金利 金利 利上げ 利下げ lãi suất điều hành chính sách",
  ],
  [
    /\b(yield|mortgage rate|call rate)$/i,
    "interest rates bonds 金利 債券 国債 lãi suất trái phiếu",
  ],
  [
    /^(core )?(\w+ )?(cpi|pce|inflation)\b|^producer prices/i,
    "inflation prices インフレ 物価 lạm phát giá cả",
  ],
  [
    /^unemployment|payrolls|jobless|^jobs|^employment|^labour/i,
    "jobs employment labour labor market 雇用 失業 việc làm lao động",
  ],
  [/\bgdp growth\b|^real gdp$/i, "gdp economic growth 経済成長 tăng trưởng kinh tế"],
  [/\b(oil|gasoline|petrol)\b/i, "oil fuel energy 石油 原油 ガソリン dầu xăng"],
  [/\b(gasoline|petrol)\b/i, "gas petrol gasoline"],
  [
    /\b(housing|house|home|flat|land|real estate|mortgage)\b/i,
    "housing homes property real estate 住宅 不動産 nhà ở bất động sản",
  ],
  [
    /\b(trade balance|current account|exports|imports)\b/i,
    "foreign trade deficit surplus 貿易 thương mại",
  ],
  [/\b(budget|debt)\b/i, "government deficit debt 財政 国債 ngân sách nợ công"],
  [/\b(sales|spending|consumption)\b/i, "consumers consumption 消費 tiêu dùng"],
  [/\bpmi\b|^tankan/i, "business survey purchasing managers 景況感 khảo sát doanh nghiệp"],
];

/** What else people call a series, of all languages. @param name in English */
export const wordsOfSeries = (name: string): string =>
  SERIES_WORDS.flatMap(([series, words]) => (series.test(name) ? words : [])).join(" ");

/** What else people call pages, settings, actions and parts of a page, by their English names. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  Markets:
    "home start movers rankings heat map indices fx ホーム 指数 ランキング 値上がり 値下がり 為替 trang chủ chỉ số tăng giảm mạnh ngoại hối tỷ giá",
  Sectors: "industries 業界 ngành nghề",
  Screener: "stock filter find stocks 検索 絞り込み sàng lọc",
  Lists:
    "watchlist portfolio holdings favourites favorites export my data ウォッチリスト ポートフォリオ エクスポート danh mục xuất dữ liệu",
  Calendar:
    "earnings dividends dividend splits ex-dates dates events holidays releases 決算 業績予想 配当 権利落ち 祝日 lịch sự kiện cổ tức",
  Economy: "macro indicators statistics 景気 マクロ vĩ mô",
  "Agents and programs": "connect mcp claude chatgpt excel 接続 kết nối",
  Tokens: "api keys 鍵 キー khóa",
  "Call log": "requests usage history 履歴 lịch sử",
  Settings: "preferences options configuration 環境設定 tùy chọn",
  Account: "password sign-in profile パスワード mật khẩu",
  About: "version licences licenses sources",
  "New token": "create api key",
  "New list": "create watchlist portfolio",
  Documentation: "help manual guide api rest openapi reference ヘルプ trợ giúp hướng dẫn",
  Dark: "dark mode theme ダークモード",
  Light: "light mode theme",
  "Sign out": "log out logout",
  Language: "english japanese vietnamese 日本語 英語 tiếng việt",
  "Time zone": "timezone clock 時間帯 時刻 giờ",
  Theme: "dark light mode appearance 外観",
  "Gain and loss": "colours colors green red 色 màu sắc xanh đỏ",
  Currency: "money usd jpy vnd yen dollar dong 円 ドル",
  "Rows of tables": "density compact",
  "Home country": "region",
  "First page": "start page home page",
};

/** What people ask for if they mean a preset of the screener, by its English name. */
const PRESET_WORDS: Readonly<Record<string, readonly string[]>> = {
  "P/B below 1": ["below book", "pbr1倍割れ", "1倍割れ", "dưới giá trị sổ sách"],
  "Limit up": ["limit up", "ストップ高", "trần", "tăng trần"],
  "Limit down": ["limit down", "ストップ安", "sàn", "giảm sàn"],
  "Strong gains": ["gainers", "値上がり", "値上がり率", "tăng mạnh"],
  "Largest volume": ["most active", "volume", "出来高", "khối lượng"],
  "Largest traded value": ["turnover", "traded value", "売買代金", "thanh khoản", "gtgd"],
  "Near year-to-date high": ["year high", "highs", "年初来高値", "đỉnh"],
  "High dividends": ["high yield", "高配当株", "cổ tức cao"],
  "Cheap and paying": ["cheap", "value", "undervalued", "bargains", "割安", "高配当", "giá rẻ"],
  "Quality at a fair price": ["quality", "profitable", "優良", "chất lượng"],
  "Near 52-week low": ["lows", "oversold", "安値", "đáy"],
  Momentum: ["momentum", "trend", "winners", "上昇", "đà tăng"],
  "Net cash": ["net cash", "no debt", "debt-free", "無借金", "không nợ"],
  "Analysts' favourites": ["favorites", "analysts", "recommended", "アナリスト", "khuyến nghị"],
  "Small and growing": ["growth", "small caps", "成長", "グロース", "小型", "tăng trưởng"],
  "Dividend growers": ["dividend", "dividends", "増配", "cổ tức"],
};

/** What people call sectors, by their slugs. */
const SECTOR_WORDS: Readonly<Record<string, readonly string[]>> = {
  "basic-materials": ["materials", "mining", "素材", "nguyên vật liệu"],
  energy: ["energy", "oil", "エネルギー", "năng lượng"],
  "financial-services": ["bank", "banks", "financials", "insurers", "銀行", "金融", "ngân hàng"],
  healthcare: ["healthcare", "pharma", "drugs", "医薬", "y tế"],
  industrials: ["industrials", "industry", "工業", "công nghiệp"],
  "real-estate": ["real estate", "reits", "property", "不動産", "bất động sản"],
  technology: ["tech", "technology", "software", "chips", "ハイテク", "công nghệ"],
  utilities: ["utilities", "electricity", "公益", "điện"],
};

/** The presets of the screener that a text asks for, and the sector that it names: `cheap banks`. */
export function presetsIn(text: string) {
  const has = (phrases: readonly string[] = []) => phrases.some((one) => hasPhrase(text, one));
  const names = Object.keys(PRESET_WORDS).filter((name) => has(PRESET_WORDS[name]));
  const sector = Object.keys(SECTOR_WORDS).find((slug) => has(SECTOR_WORDS[slug]));
  return { names, sector };
}

/** What else people call a page, a setting or an action, of all languages. @param name in English */
export const otherWords = (name: string): string => OTHER_WORDS[name] ?? "";

/** What else people call the parts of a company's page, each as it is written before or after the company. */
export const TAB_WORDS: Readonly<Record<string, readonly string[]>> = {
  chart: [
    "price chart",
    "charts",
    "technicals",
    "technical",
    "indicators",
    "テクニカル",
    "kỹ thuật",
  ],
  financials: ["statements", "income statement", "balance sheet", "cash flow"],
  valuation: ["multiples"],
  forecast: ["forecasts", "estimates", "analysts"],
  dividends: ["dividend"],
  peers: ["competitors"],
};
