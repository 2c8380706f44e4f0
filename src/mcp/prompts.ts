import { INVALID_PARAMS, isObject, type JsonObject, JsonRpcError } from "./json-rpc.ts";

/** A question that a person can choose in a client, which sends it to the model with the person's words. */
interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
  /** The message for the model; `words` has the arguments that were given. */
  write(words: Readonly<Record<string, string>>): string;
}

const FIGURES =
  'Give each figure with its date and its currency. "—" and null mean that a figure is missing; never guess one. If `source` is "sample", say that the figures are invented. Before you answer, check your figures in one call of check_figures, and correct those that differ.';

const PROMPTS: readonly Prompt[] = [
  {
    name: "company",
    title: "A company at a glance",
    description: "What a company does, what it earns, how it is valued and what comes next.",
    arguments: [
      { name: "company", description: "Symbol or name: AAPL, JP:7203, Vinamilk.", required: true },
    ],
    write: ({ company }) =>
      `Describe the listed company ${company}. If you are not sure of its symbol, call list_symbols first. Then call get_stock_overview, get_stock_statements with type income and period annual, get_price_statistics with range 5y, and get_stock_forecast. Say what the company does, how revenue, margins and earnings per share developed, how the shares are valued, how they did over five years with their largest drawdown, and what analysts expect. ${FIGURES}`,
  },
  {
    name: "week_ahead",
    title: "The week ahead",
    description: "Economic events, company reports and holidays of the next seven days.",
    arguments: [
      {
        name: "countries",
        description: "US, JP, VN, comma-separated; all by default.",
        required: false,
      },
    ],
    write: ({ countries = "US,JP,VN" }) =>
      `List what can move markets in the next seven days in ${countries}. Call get_macro_calendar with these countries, importance high,medium and to in seven days; get_earnings_calendar with from today and to in seven days, if US is among them; and get_markets for holidays. Write one line for each day: events with their time, previous figure and consensus, then the largest companies that report with their estimates. ${FIGURES}`,
  },
  {
    name: "brief",
    title: "What changed",
    description:
      "What changed for your lists since the last brief: for an agent that runs once a day.",
    arguments: [
      {
        name: "list",
        description: "Name of one list, such as semis; all lists by default.",
        required: false,
      },
    ],
    write: ({ list }) =>
      `Call get_brief once${list === undefined ? "" : ` with symbols list:${list}`}, without since. If its rows are empty, answer with its summary and stop. Otherwise write one line for each row, the most important first, and give both figures and the percent where there are two. If it has next_cursor, say how many rows are left, or read them with cursor. If your run before this one failed, call get_brief once more with since from previous_since. Do not call it again to check, because each brief continues after the last one. ${FIGURES}`,
  },
  {
    name: "portfolio",
    title: "A portfolio",
    description:
      "Value, return, risk and income of a portfolio, and what comes next for its holdings.",
    arguments: [
      {
        name: "holdings",
        description: "Shares by symbol: US:AAPL=10, JP:7203=300, VN:FPT=5000.",
        required: true,
      },
      { name: "currency", description: "ISO code: USD.", required: false },
    ],
    write: ({ holdings, currency = "USD" }) =>
      `Analyse this portfolio in ${currency}: ${holdings}. Call analyze_portfolio with these holdings and this currency. Say what it is worth, how it is spread over countries, sectors and currencies, which holdings made and cost most, how large its volatility and its largest drawdown were, what income it pays, and what its holdings report or pay next. Name the largest risk in one sentence. ${FIGURES}`,
  },
];

/** The result of `prompts/list`. */
export const listPrompts = () => ({
  prompts: PROMPTS.map(({ name, title, description, arguments: args }) => ({
    name,
    title,
    description,
    arguments: args,
  })),
});

/** An argument is a few words of a person. */
const MAX_ARGUMENT = 1_000;

/** The result of `prompts/get`. @throws JsonRpcError -32602 for an unknown prompt, or a wrong argument */
export function getPrompt({ name, arguments: given = {} }: JsonObject) {
  const prompt = PROMPTS.find((one) => one.name === name);
  if (!prompt) {
    throw invalid(`The prompts are ${PROMPTS.map((one) => one.name).join(", ")}.`);
  }
  const words: Record<string, string> = {};
  for (const { name: argument, required, description } of prompt.arguments) {
    const text = isObject(given) ? (given[argument] ?? "") : 0;
    if (
      typeof text !== "string" ||
      text.length > MAX_ARGUMENT ||
      (required && text.trim() === "")
    ) {
      throw invalid(`The argument ${argument} of ${prompt.name} is a text: ${description}`);
    }
    if (text.trim() !== "") words[argument] = text.trim();
  }
  const text = prompt.write(words);
  return {
    description: prompt.description,
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

const invalid = (text: string) => new JsonRpcError(INVALID_PARAMS, `Invalid params: ${text}`);
