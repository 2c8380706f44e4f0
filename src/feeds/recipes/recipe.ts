/** A text to copy, such as a formula, a setting or a program. */
export interface RecipeText {
  /** Where it belongs; null if the recipe's sentences say it. */
  readonly label: string | null;
  /** `<URL>` stands for the address of the service, `<LINK>` for a feed link, `<TOKEN>` for a token of the API: see `fillRecipe`. */
  readonly text: string;
}

/** How a program reads the service. The console and the README beside this file are made of it. */
export interface Recipe {
  readonly program: string;
  readonly group: RecipeGroup;
  /** Sentences for the reader. */
  readonly how: string;
  readonly texts: readonly RecipeText[];
  /** True if servers elsewhere read the address, so that it must be public. */
  readonly isReadByServers?: true;
  /** What was run, in sentences; null if nothing of it could be run. */
  readonly proof: string | null;
  /** What was not run, as a sentence. The README says it too. */
  readonly untried?: string;
}

/** The groups of programs, in the order in which they are listed. */
export const RECIPE_GROUPS = [
  "Agents",
  "Code",
  "Spreadsheets",
  "Portfolios",
  "Ledgers",
  "Dashboards and automation",
  "Charts and calendars",
] as const;
/** One of `RECIPE_GROUPS`. */
export type RecipeGroup = (typeof RECIPE_GROUPS)[number];
