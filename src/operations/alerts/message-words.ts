import { RATING_TERMS } from "#domain/terms.ts";
import { LANGUAGE_PLACES, type TextLanguage } from "#panels/local-text.ts";

/** The sentences of messages in English, Japanese and Vietnamese. */
// prettier-ignore
const WORDS = {
  prices: ["Prices of {date}.", "{date}の株価です。", "Giá ngày {date}."],
  split: ["The limit is in new shares: {ratio} for 1 since the rule was made.", "基準値は分割後の株数に換算済みです（ルール作成後、1株が{ratio}株）。", "Mức so sánh đã tính theo cổ phiếu mới: từ khi đặt, 1 cổ phiếu thành {ratio}."],
  median_sector: ["sector median", "セクター中央値", "trung vị lĩnh vực"],
  median_industry: ["industry median", "業種中央値", "trung vị ngành"],
  thesis: ["{symbol}: thesis broken", "{symbol}：投資理由が崩れました", "{symbol}: luận điểm không còn đúng"],
  broken: ["{figure}: not {limit} any more", "{figure}：{limit} を満たしません", "{figure}: không còn {limit}"],
  holds: ["{figure}: still {limit}", "{figure}：{limit} を満たしています", "{figure}: vẫn {limit}"],
  filing: ["Because of the statement to {period}, filed on {date}.", "要因は{period}までの決算書（{date}提出）です。", "Do báo cáo đến {period}, nộp ngày {date}."],
  restated: ["Because of restated figures to {period}, filed on {date}.", "要因は{period}までの決算の訂正（{date}提出）です。", "Do số liệu đến {period} được điều chỉnh, nộp ngày {date}."],
  move: ["Because of the price: {move}.", "要因は株価の変動です：{move}。", "Do giá: {move}."],
  from_list: ["In the list {list}.", "リスト{list}の銘柄です。", "Trong danh sách {list}."],
  report_0: ["{symbol} reports today, {date}", "{symbol}：本日（{date}）決算発表", "{symbol} công bố kết quả hôm nay, {date}"],
  report_1: ["{symbol} reports tomorrow, {date}", "{symbol}：明日（{date}）決算発表", "{symbol} công bố kết quả ngày mai, {date}"],
  report_n: ["{symbol} reports in {days} days, {date}", "{symbol}：{days}日後（{date}）決算発表", "{symbol} công bố kết quả sau {days} ngày, {date}"],
  ex_0: ["{symbol}: ex-date today, {date}", "{symbol}：本日（{date}）権利落ち", "{symbol}: GDKHQ hôm nay, {date}"],
  ex_1: ["{symbol}: ex-date tomorrow, {date}", "{symbol}：明日（{date}）権利落ち", "{symbol}: GDKHQ ngày mai, {date}"],
  ex_n: ["{symbol}: ex-date in {days} days, {date}", "{symbol}：{days}日後（{date}）権利落ち", "{symbol}: GDKHQ sau {days} ngày, {date}"],
  moved: ["Announced for {date} before.", "以前の予定は{date}でした。", "Trước đó được báo là {date}."],
  before_market_open: ["Before the open.", "寄り付き前です。", "Trước giờ mở cửa."],
  after_market_close: ["After the close.", "引け後です。", "Sau giờ đóng cửa."],
  estimate: ["EPS estimate {amount}.", "EPS予想 {amount}。", "EPS ước tính {amount}."],
  dividend: ["{amount} a share.", "1株 {amount}。", "{amount} mỗi cổ phiếu."],
  statement: ["{symbol}: new statement to {period}", "{symbol}：{period}までの決算書", "{symbol}: báo cáo mới đến {period}"],
  filed: ["Filed on {date}.", "{date}提出。", "Nộp ngày {date}."],
  rating: ["{symbol}: rating {before} → {after}", "{symbol}：アナリスト評価 {before} → {after}", "{symbol}: khuyến nghị {before} → {after}"],
  rating_mean: ["Mean of the analysts' ratings.", "アナリスト評価の平均です。", "Trung bình khuyến nghị của các nhà phân tích."],
  expected: ["Expected {figure}.", "予想 {figure}。", "Dự báo {figure}."],
  previous: ["Previous {figure}.", "前回 {figure}。", "Kỳ trước {figure}."],
  changes_1: ["{name}: 1 change", "{name}：変化 1件", "{name}: 1 thay đổi"],
  changes: ["{name}: {count} changes", "{name}：変化 {count}件", "{name}: {count} thay đổi"],
  more: ["And {count} more.", "ほか{count}件。", "Và {count} thay đổi khác."],
  ttm: ["12 months to {date}", "{date}までの12か月", "12 tháng đến {date}"],
  row_statement: ["{symbol} {detail}: {figures}", "{symbol} {detail}：{figures}", "{symbol} {detail}: {figures}"],
  row_new_statement: ["{symbol} new statement, {detail}", "{symbol} 新しい決算書、{detail}", "{symbol} báo cáo mới, {detail}"],
  row_forecast: ["{symbol} forecast, {detail}: {figures}", "{symbol} 会社予想の修正、{detail}：{figures}", "{symbol} đổi dự báo, {detail}: {figures}"],
  row_move: ["{symbol} {percent}, {date}: {figures}", "{symbol} {percent}、{date}：{figures}", "{symbol} {percent}, {date}: {figures}"],
  row_high_52w: ["{symbol} 52-week high {after}", "{symbol} 52週高値 {after}", "{symbol} đỉnh 52 tuần {after}"],
  row_low_52w: ["{symbol} 52-week low {after}", "{symbol} 52週安値 {after}", "{symbol} đáy 52 tuần {after}"],
  row_release: ["{symbol} {detail} {figures}", "{symbol} {detail} {figures}", "{symbol} {detail} {figures}"],
  row_report: ["{symbol} reports on {date}", "{symbol} {date}に決算発表", "{symbol} công bố kết quả ngày {date}"],
  row_ex_date: ["{symbol} ex-date {date}, {after}", "{symbol} {date}権利落ち、{after}", "{symbol} GDKHQ {date}, {after}"],
  paused: ["An alert is paused", "アラートを一時停止しました", "Một cảnh báo đã tạm dừng"],
  paused_why: ["It fired {count} times in a short time. Change its condition, or start it again on the page Alerts.", "短時間に{count}回発動しました。条件を変えるか、アラートのページで再開してください。", "Nó đã báo {count} lần trong thời gian ngắn. Hãy đổi điều kiện, hoặc bật lại ở trang Cảnh báo."],
  test: ["A test of bourse", "bourseのテスト", "Tin thử của bourse"],
  test_why: ["The channel {channel} works.", "チャンネル{channel}は届きます。", "Kênh {channel} hoạt động."],
  stopped: ["The channel {channel} is stopped", "チャンネル{channel}を停止しました", "Kênh {channel} đã dừng"],
  stopped_why: ["Its receiver said that it is gone. Save the channel again to use it again.", "受信側が廃止を通知しました。再び使うにはチャンネルを保存し直してください。", "Bên nhận báo rằng nó không còn nữa. Hãy lưu lại kênh để dùng tiếp."],
} as const satisfies Readonly<Record<string, readonly [en: string, ja: string, vi: string]>>;

/** The name of a sentence. */
export type MessageWord = keyof typeof WORDS;

/** A sentence in a language, with values at its names. */
export function say(
  language: TextLanguage,
  word: MessageWord,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return WORDS[word][LANGUAGE_PLACES[language]].replaceAll(/\{(\w+)\}/g, (name, key: string) =>
    String(values[key] ?? name),
  );
}

/** The word of a rating in a language: `Buy`. */
export function sayRating(language: TextLanguage, label: string): string {
  const [ja, vi] = RATING_TERMS[label as keyof typeof RATING_TERMS] ?? [];
  return { en: label, ja, vi }[language] ?? label;
}
