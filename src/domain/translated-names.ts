import { lazy } from "#lib/lazy.ts";
import type { Country } from "./country.ts";
import type { Instrument } from "./instrument.ts";
import { INDUSTRY_TERMS } from "./terms.ts";
import { normalForm, withoutMarks } from "#lib/normal-form.ts";

/** Well-known companies of the US as Japanese texts write them: `AAPL アップル`. No source has these names. */
const KATAKANA = `
AAPL アップル
ABBV アッヴィ
ADBE アドビ
AMD アドバンスト・マイクロ・デバイセズ
AMGN アムジェン
AMZN アマゾン
AVGO ブロードコム
AXP アメリカン・エキスプレス
BA ボーイング
BAC バンク・オブ・アメリカ
BRK.B バークシャー・ハサウェイ
C シティグループ
CAT キャタピラー
CMCSA コムキャスト
COST コストコ
CRM セールスフォース
CSCO シスコシステムズ
CVX シェブロン
DE ディア
DIS ウォルト・ディズニー
DIS ディズニー
F フォード
FDX フェデックス
GE ゼネラル・エレクトリック
GM ゼネラルモーターズ
GOOGL アルファベット
GOOGL グーグル
GS ゴールドマン・サックス
HD ホーム・デポ
HON ハネウェル
IBM アイビーエム
INTC インテル
JNJ ジョンソン・エンド・ジョンソン
JPM JPモルガン・チェース
KO コカ・コーラ
LLY イーライリリー
LMT ロッキード・マーチン
MA マスターカード
MCD マクドナルド
META メタ・プラットフォームズ
MMM スリーエム
MRK メルク
MS モルガン・スタンレー
MSFT マイクロソフト
MU マイクロン・テクノロジー
NFLX ネットフリックス
NKE ナイキ
NVDA エヌビディア
ORCL オラクル
PEP ペプシコ
PFE ファイザー
PG プロクター・アンド・ギャンブル
PG P&G
PM フィリップ・モリス
PYPL ペイパル
QCOM クアルコム
SBUX スターバックス
T AT&T
TSLA テスラ
TXN テキサス・インスツルメンツ
UBER ウーバー
UNH ユナイテッドヘルス
V ビザ
VZ ベライゾン
WFC ウェルズ・ファーゴ
WMT ウォルマート
XOM エクソンモービル
`;

/** Letters that occur only in names in the country's own language. */
const LOCAL_LETTERS: Readonly<Partial<Record<Country, RegExp>>> = {
  JP: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  VN: /[\u00c0-\u024f\u1ea0-\u1ef9]/,
};

/** The name of an instrument in the language of its country, `トヨタ自動車`; null if none is known beside its name. */
export function localName(
  instrument: Pick<Instrument, "country" | "name" | "aliases">,
): string | null {
  const letters = LOCAL_LETTERS[instrument.country];
  if (!letters || letters.test(instrument.name)) return null;
  return instrument.aliases?.split("|").find((one) => letters.test(one)) ?? null;
}

/** The names of companies of the US in Japanese, by symbol. */
export const katakanaNames = lazy(
  (): ReadonlyMap<string, string> =>
    // The first name of a company is the one to show.
    new Map(
      listNames()
        .toReversed()
        .map(({ symbol, text }) => [symbol, text]),
    ),
);

/** Short names of companies of Japan, as newspapers write them. Listings have only their whole names. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  ファストリ: "9983",
  ソフトバンクG: "9984",
  SBG: "9984",
  MUFG: "8306",
  三井住友FG: "8316",
  みずほFG: "8411",
  日産自: "7201",
  日鉄: "5401",
  東エレク: "8035",
  アドテスト: "6857",
  信越化: "4063",
  村田製: "6981",
  郵船: "9101",
  川崎汽: "9107",
  三菱商: "8058",
  三井物: "8031",
  住友商: "8053",
  東京海上: "8766",
  武田: "4502",
  中外薬: "4519",
  オリランド: "4661",
  OLC: "4661",
  ソニーG: "6758",
  三菱重: "7011",
  三菱電: "6503",
  "セブン&アイ": "3382",
  パナHD: "6752",
  JR東日本: "9020",
  JR東海: "9022",
  JR西日本: "9021",
  三井不: "8801",
  レーザーテク: "6920",
};

const listShortNames = lazy(
  () => new Map(Object.entries(SHORT_NAMES).map(([name, symbol]) => [plain(name), symbol])),
);

/** The symbol of a company of Japan by its short name; null if it is none. */
export const symbolOfShortName = (text: string): string | null =>
  listShortNames().get(plain(text)) ?? null;

/** Fewer characters are not the beginning of a name. */
const MIN_BEGINNING = 3;

const plain = (name: string) =>
  normalForm(name, "NFKC")
    .toUpperCase()
    .replaceAll(/[\s・=＝-]|(?:社|株|の株価|\(株\))$/gu, "");

const listNames = lazy(() =>
  KATAKANA.trim()
    .split("\n")
    .map((line) => {
      const at = line.indexOf(" ");
      const text = line.slice(at + 1);
      return { symbol: line.slice(0, at), text, name: plain(text) };
    }),
);

/** The US symbol of a company by its Japanese name or the beginning of it; null if it fits none or several. */
export function symbolOfKatakana(text: string): string | null {
  if (!/[\p{Script=Katakana}&]/u.test(text)) return null;
  const wanted = plain(text);
  const names = listNames();
  const same = names.find(({ name }) => name === wanted);
  if (same) return same.symbol;
  if (wanted.length < MIN_BEGINNING) return null;
  const begun = names.filter(({ name }) => name.startsWith(wanted));
  const symbols = new Set(begun.map(({ symbol }) => symbol));
  const [symbol = null] = symbols;
  return symbols.size === 1 ? symbol : null;
}

/** Words for industries in Japanese and Vietnamese, each with the words of our names that it means. */
const GROUPS = `
銀行=bank
地銀=banks - regional
ngân hàng=bank
半導体=semicon
bán dẫn=semicon
保険=insurance
bảo hiểm=insurance
証券=capital markets
chứng khoán=capital markets
自動車=auto
ô tô=auto
鉄鋼=steel
thép=steel
不動産=real estate
bất động sản=real estate
医薬品=drug
製薬=drug
dược phẩm=drug
dược=drug
化学=chemicals
hóa chất=chemicals
航空=airlines
hàng không=airlines
海運=marine shipping
vận tải biển=marine shipping
鉄道=railroads
電力=utilities
điện=utilities
ガス=utilities - regulated gas
小売=retail
bán lẻ=retail
食品=food
thực phẩm=food
飲料=beverages
đồ uống=beverages
石油=oil
dầu khí=oil
通信=telecom
viễn thông=telecom
ソフトウェア=software
phần mềm=software
ゲーム=gaming
建設=engineering & construction
xây dựng=engineering & construction
機械=machinery
繊維=textile
dệt may=textile
百貨店=department stores
thủy sản=farm products
phân bón=agricultural inputs
cảng biển=infrastructure operations
công nghệ thông tin=information technology services
vận tải=freight|shipping|trucking|railroads
xi măng=building materials
gỗ=lumber
khoáng sản=mining
than=coal
vàng bạc=luxury goods
trang sức=luxury goods
du lịch=travel|lodging|resorts
khách sạn=lodging
giáo dục=education
nông nghiệp=farm products|agricultural inputs
chăn nuôi=farm products
đường=confectioners
mía đường=confectioners
công nghệ phần mềm=software
nhà hàng=restaurants
cảng=infrastructure operations
logistics=freight
bất động sản khu công nghiệp=real estate - development
bđs khu công nghiệp=real estate - development
食料品=food
bia=brewers
bđs=real estate
thủy điện=utilities
nhiệt điện=utilities
アパレル=apparel
紙・パルプ=paper
不動産投資信託=reit
j-reit=reit
jリート=reit
ドラッグストア=pharmaceutical retailers
sữa=packaged foods
ホテル=lodging
人材=staffing
人材派遣=staffing
防衛=aerospace & defense
バイオテクノロジー=biotechnology
公益事業=utilities
`;

const folded = (text: string) =>
  normalForm(text, "NFKC")
    .trim()
    .toLowerCase()
    .replace(/^(?:ng(?:ành|anh)|nh[óo]m(?: ng(?:ành|anh))?|c[ổo] phi[ếe]u|c[ôo]ng ty) /, "")
    .replace(/(?:関連)?(?:業界|業|株|銘柄|セクター|関連)$/u, "");

const listGroups = lazy(
  () =>
    new Map(
      GROUPS.trim()
        .split("\n")
        .map((line): [string, string] => {
          const [word = "", part = ""] = line.split("=");
          return [folded(word), part];
        }),
    ),
);

const listIndustries = lazy(
  () =>
    new Map(
      Object.entries(INDUSTRY_TERMS).flatMap(([slug, words]) =>
        words.map((word): [string, string] => [folded(word), slug]),
      ),
    ),
);

/**
 * The parts of the English names of industries that a Japanese or Vietnamese word means, separated by `|`, or the slug of the industry that
 * the console shows by this word; null if none.
 */
export function translateIndustry(text: string): string | null {
  const word = folded(text);
  return listGroups().get(word) ?? listIndustries().get(word) ?? null;
}

const listMarked = lazy(
  () =>
    new Map(
      [...listGroups().keys(), ...listIndustries().keys()].map((word) => [
        withoutMarks(word),
        word,
      ]),
    ),
);

/** The Vietnamese word for industries with its marks: `ngân hàng` for `ngan hang`; null if it is none, or has them. */
export function markedIndustry(text: string): string | null {
  const word = folded(text);
  const marked = listMarked().get(word) ?? word;
  return marked === word ? null : marked;
}
