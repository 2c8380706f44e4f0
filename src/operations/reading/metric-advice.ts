import { normalForm, withoutMarks } from "#lib/normal-form.ts";

/**
 * What to write for words that are no condition and no metric: questions without a number, and figures that screens of Japan
 * and Viet Nam have. Vietnamese is without marks.
 */
// prettier-ignore
const ADVICE: readonly (readonly [words: RegExp, advice: string])[] = [
  [/高配当|high dividends?|co tuc cao/, "Write a limit: dividend_yield>=4, with sort=-dividend_yield."],
  [/割安|低p[eb]r|cheap|undervalued|dinh gia (?:re|thap)/, "Write a limit: pe<15 or pb<1. pe_percentile_5y<20 compares a company with its own past."],
  [/割高|overvalued|dinh gia cao/, "Write a limit: pe>30. pe_percentile_5y>80 compares a company with its own past."],
  [/52週(?:高値|新高値)|dinh 52 tuan|52.week high/, "Write how near: below_high_52w<1 is within 1 % of the highest price of 52 weeks."],
  [/52週(?:安値|新安値)|day 52 tuan|52.week low/, "Write how near: above_low_52w<1 is within 1 % of the lowest price of 52 weeks."],
  [/高値|dinh (?:tu dau )?nam|dinh moi|new high/, "Write how near: below_high_ytd<1 is within 1 % of the year's highest price, below_high_52w<1 of 52 weeks."],
  [/安値|day (?:tu dau )?nam|day moi|new low/, "Write how near: above_low_ytd<1 is within 1 % of the year's lowest price, above_low_52w<1 of 52 weeks."],
  [/増収増益/, "Write revenue_growth>0,eps_growth>0."],
  [/増収/, "Write revenue_growth>0."],
  [/増益|利益成長|tang truong (?:loi nhuan|lnst)|(?:loi nhuan|lnst) (?:tang|sau thue tang)|(?:earnings|profit|income).growth/, "Growth is known of revenue and of earnings per share: revenue_growth and eps_growth."],
  [/減収|減益/, "Write revenue_growth<0 or eps_growth<0."],
  [/増配|dividend growers?|tang co tuc/, "Write dividend_growth_1y>0, or dividend_years_raised>=5."],
  [/無配|khong co tuc/, "Write dividend_per_share=0."],
  [/キャッシュフロー|dong tien/, "Write free_cash_flow>0 or operating_cash_flow>0."],
  [/ネットキャッシュ|tien mat rong/, "Write net_debt<0."],
  [/無借金|有利子負債(?:ゼロ|なし)|khong no/, "Write total_debt=0."],
  [/黒字|co lai|profitable/, "Write net_income>0."],
  [/赤字|thua lo|^lo$|loss.making/, "Write net_income<0."],
  [/^利回り$|^配当$/, "dividend_yield is a percentage of the price, dividend_per_share an amount."],
  [/^利益$|^loi nhuan$|^profit$/, "operating_income, net_income and eps are metrics."],
  [/^自己資本$/, "total_equity is an amount, equity_ratio its part of total assets."],
  [/ (?:am|duong)$/, "Write the figure with <0 or >0."],
  [/^(?:nganh|linh vuc) |業界$|業種$/, "Leave it out of where, and give industry or sector beside it."],
  [/^san \S|^東証|市場$/, "Leave it out of where, and give exchange beside it."],
  [/^(?:tang|giam)$/, "Write change_percent>5 for a gain of 5 %, change_percent<-5 for a fall."],
  [/大型株|von hoa lon|blue ?chips?|large.caps?/, "Write a limit of market_cap, such as market_cap>1兆円 or market_cap>10 nghìn tỷ. list:nikkei225 and list:vn30 are members of indices."],
  [/小型株|von hoa nho|small.caps?/, "Write a limit of market_cap, such as market_cap<300億円 or market_cap<1000 tỷ."],
  [/低位株|penny/, "Write a limit of price, such as price<500 or price<10000."],
  [/買われ過?すぎ|qua mua|overbought/, "Write rsi>70."],
  [/売られ過?すぎ|qua ban|oversold/, "Write rsi<30."],
  [/値下がり|下落率|giam (?:manh|gia)|losers?/, "A fall is a negative change: write change_percent<-3, with sort=change_percent."],
  [/値上がり|急騰|tang (?:manh|gia)|gainers?/, "Write change_percent>3, with sort=-change_percent. return_1m to return_10y have longer periods."],
  [/出来高急増|出来高ランキング|khoi luong dot bien/, "No metric compares volume with its past. sort=-volume or sort=-traded_value ranks it."],
  [/予想配当|配当予想|会社予想|今期予想|今期per|業績予想|上方修正|下方修正/, "No metric has the forecasts of companies: get_stock_forecast has them for one company. dividend_yield and pe are of the last twelve months, forward_pe is of the analysts' next year."],
  [/経常利益|税引前|loi nhuan truoc thue|lntt|pre-?tax/, "No metric: get_stock_statements has it for one company. operating_income and net_income are metrics."],
  [/移動平均|乖離率|ゴールデンクロス|duong trung binh|moving average|\bm?a ?\d+/, "No metric: get_stock_technicals has moving averages of one company. rsi, macd and return_1m are metrics."],
  [/ミックス係数|graham/, "Write both: pe<15,pb<1.5."],
  [/信用(?:倍率|残|買|売)|貸借倍率|空売り|逆日歩/, "No source gives margin trading and short sales."],
  [/株主優待|優待/, "No source gives the gifts of companies to shareholders."],
  [/大株主|大量保有|外国人(?:持株|保有)/, "No source gives the shareholders of Japanese companies."],
  [/tu doanh|ke hoach nam/, "No source gives trades of brokers for themselves, and the yearly plans of companies."],
  [/(?:co tuc|chia) (?:bang )?co phieu|quyen mua|phat hanh them|co phieu thuong|stock dividend|rights issue/, "No metric: share dividends and rights change the number of shares. dividend_per_share and dividend_yield are of cash."],
];

/** What to write instead of a text that is neither a condition nor the name of a metric; null if nothing is known. */
export function adviceOn(text: string): string | null {
  const written = withoutMarks(normalForm(text, "NFKC")).toLowerCase();
  return ADVICE.find(([words]) => words.test(written))?.[1] ?? null;
}
