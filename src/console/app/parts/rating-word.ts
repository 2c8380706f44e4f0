const WORDS = ["Strong buy", "Buy", "Neutral", "Sell", "Strong sell"] as const;

/** A mean rating from 1 to 5 in a word, as the service says it: up to 1.5 it is `Strong buy`, up to 2.5 `Buy`. */
export const ratingWord = (mean: number): string => WORDS[Math.ceil(mean - 0.5) - 1] ?? WORDS[0];
