/** The currencies into which amounts can be converted. */
export const CURRENCIES = ["USD", "JPY", "VND", "EUR", "GBP", "AUD", "CAD", "CHF", "CNY"] as const;
