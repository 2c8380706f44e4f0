import { invalidArgument } from "#domain/errors.ts";
import { INDUSTRIES } from "#domain/taxonomy.ts";
import { markedIndustry, translateIndustry } from "#domain/translated-names.ts";
import { similarNames } from "#lib/closest.ts";
import { normalForm } from "#lib/normal-form.ts";
import { quoteValue } from "./decode.ts";

/** Other English words for industries, by the words of our names that they mean. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  "auto manufacturers": ["automakers", "carmakers"],
  auto: ["cars", "car"],
  bank: ["banking"],
  defense: ["defence"],
  drug: ["pharma", "pharmaceutical", "pharmaceuticals", "drugs", "drugmakers"],
  gaming: ["games", "video games"],
  "information technology services": ["it", "it services"],
  insurance: ["insurers"],
  lodging: ["hotels"],
  "marine shipping": ["shipping"],
  mining: ["miners"],
  retail: ["retailers", "retailing"],
  semicon: ["chip", "chips", "chipmakers"],
  telecom: ["telco", "telcos"],
};

/** Subjects that no industry has as its name, each with what to ask for instead. */
const SUBJECTS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [
    /^(?:ai|artificial intelligence|cloud|saas|cyber ?security|data cent(?:er|re)s?|人工知能|クラウド|データセンター|trí tuệ nhân tạo)$/,
    "industry=software, semiconductors or computer hardware",
  ],
  [/^(?:evs?|electric (?:vehicles?|cars?)|batter(?:y|ies))$/, "industry=auto or electrical"],
  [/^(?:tech|technology)$/, "sector=technology"],
  [/^fintechs?$/, "industry=credit services or capital markets"],
  [/^(?:crypto|bitcoin|blockchain)$/, "industry=capital markets or financial data"],
  [/^(?:renewables?|clean energy|green energy)$/, "industry=solar or utilities - renewable"],
  [/^cao su$/, "industry=hóa chất (growers) or phụ tùng ô tô (tyres)"],
  [/^nhựa$/, "industry=building products or specialty chemicals"],
  [/^(?:総合)?商社$/, "industry=卸売業 or conglomerates"],
  [/^造船$/, "industry=機械 or 輸送用機器"],
  [/^重工業?$/, "industry=機械"],
  [/^電子部品$/, "industry=電気機器 or electronic components"],
  [/^ハイテク$/, "sector=technology, or sector=電気機器 of Tokyo"],
  [/^ロボット$/, "industry=機械 or 電気機器"],
  [/^コンビニ$/, "industry=小売業 or grocery stores"],
  [/^インフラ$/, "industry=建設業, utilities or infrastructure operations"],
  [/^cao su tự nhiên$/, "industry=hóa chất"],
  [
    /^(?:hàng|dịch vụ) tiêu dùng$/,
    "sector=tiêu dùng thiết yếu or sector=tiêu dùng không thiết yếu",
  ],
  [/^tiêu dùng$/, "sector=tiêu dùng thiết yếu or sector=tiêu dùng không thiết yếu"],
  [/^đầu tư công$/, "industry=xây dựng or vật liệu xây dựng"],
];

/** The longest word that must be a whole word of a name. `it` begins no name that a person means by it. */
const WHOLE_WORD = 3;
const NEAR = 6;

/** The words of a name, in lower case: `oil`, `gas`, `e`, `p`. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** An industry, by its slug and its name. */
export interface Industry {
  readonly slug: string;
  readonly name: string;
}

/**
 * The industry with this name or slug, or all whose names have words that begin with the words of a text. A word of up
 * to three letters must be whole. Words of three languages are translated, Vietnamese ones also without their marks.
 *
 * @throws BourseError `invalid_argument` with the nearest names, if no industry fits
 */
export function findIndustries(text: string): readonly Industry[] {
  const written = normalForm(text, "NFKC").trim().toLowerCase();
  const part = translateIndustry(text) ?? otherWord(written) ?? written;
  const all: readonly Industry[] = [...INDUSTRIES.values()];
  const same = all.filter(({ name, slug }) => name.toLowerCase() === part || slug === part);
  if (same.length > 0) return same;
  const [, instead] = SUBJECTS.find(([pattern]) => pattern.test(written)) ?? [];
  const meanings = part.split("|").map(wordsOf);
  const found =
    instead === undefined
      ? all.filter(({ name }) => meanings.some((words) => hasAll(wordsOf(name), words)))
      : [];
  if (found.length > 0) return found;
  const marked = markedIndustry(text);
  if (marked !== null) return findIndustries(marked);
  const near = similarNames(
    part,
    all.map(({ name }) => name),
    NEAR,
  );
  const names = near.length === 0 ? "" : `The nearest names: ${near.join("; ")}. `;
  throw invalidArgument(
    `industry must be the name of an industry or some of its words, not ${quoteValue(text)}.`,
    {
      param: "industry",
      hint:
        instead === undefined
          ? `${names}get_sectors with a sector and level=industry lists its industries.`
          : `No industry has this name. Near it: ${instead}.`,
    },
  );
}

/** True if a name has a word that begins with each of these words; a short one must be whole. */
const hasAll = (name: readonly string[], words: readonly string[]): boolean =>
  words.length > 0 &&
  words.every((word) =>
    name.some((one) => (word.length > WHOLE_WORD ? one.startsWith(word) : one === word)),
  );

/** The words of our names that another word means; null if none. */
function otherWord(text: string): string | null {
  const [part = null] = Object.entries(OTHER_WORDS).find(([, words]) => words.includes(text)) ?? [];
  return part;
}
