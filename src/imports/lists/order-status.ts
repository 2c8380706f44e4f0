import { foldedWord } from "./trade-kinds.ts";

/** What the status of an order means for its shares; `unknown` for a word without a known meaning. */
export type OrderStatus = "done" | "open" | "partial" | "corrected" | "unknown";

/** The first pattern that fits decides: `not executed` contains `executed`. */
const STATUSES: readonly (readonly [OrderStatus, RegExp])[] = [
  [
    "partial",
    /partial|partly|teilweise|teilausf|partiel|parcial|parzial|delvis|gedeeltelijk|czesciow|mot phan|一部|部分|部成/,
  ],
  // Another row can be the right one.
  ["corrected", /correct|amend|replaced|busted|berichtigt|korrigiert|訂正|\bsua\b/],
  [
    "open",
    /cancel|reject|fail|pending|draft|expir|\b(?:void|open|working|offen|new|queued|submitted|inactive|declined|revoked|withdrawn|deleted|unfilled|lapsed)\b|\bnot (?:executed|filled)|storn|gestrichen|geloscht|abgelehnt|zuruckgewiesen|abgelaufen|verfallen|nicht ausgef|annul|refus|rejet|scadut|rifiutat|respint|anulad|rechazad|caducad|recusad|odrzuc|anulow|makuler|avvist|avbrut|geannuleerd|geweigerd|vervallen|取消|失効|却下|未約定|不成立|注文中|已撤|\bcho\b|\bhuy\b|tu choi|het han|het hieu luc|khong khop/,
  ],
  [
    "done",
    /fill|exec|complet|done|settl|success|\bok\b|closed|confirm|trade|booked|process|posted|clear|approved|final|bought|sold|ausgef|abgerechnet|abgeschlossen|erledigt|gebucht|effectu|realis|termin|ejecut|liquid|eseguit|conclus|wykonan|zrealiz|utford|avslut|genomford|uitgevoerd|verwerkt|約定|完了|成立|受渡|成交|已成|khop|hoan|thanh cong/,
  ],
];

/** The meaning of an order's status; `done` for an empty one. */
export function orderStatusOf(written: string): OrderStatus {
  const word = foldedWord(written);
  if (word === "") return "done";
  return STATUSES.find(([, pattern]) => pattern.test(word))?.[0] ?? "unknown";
}

/** True for the header of a column of the shares that were executed, which an order for more shares has too. */
export const isExecuted = (header: string): boolean =>
  /exec|fill|khop|約定|成交|ausgef|eseguit|ejecut/.test(foldedWord(header));
