const CURRENCIES: Readonly<Record<string, string>> = { US: "USD", JP: "JPY", VN: "VND" };

/** The currency of a country, and of its amounts in a screen. @param country `JP`; USD for several, `all` or `JP,VN` */
export const currencyOf = (country: string): string => CURRENCIES[country.toUpperCase()] ?? "USD";
