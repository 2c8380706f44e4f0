/** The market cap of an ordinary company of a country, in its currency, as in a condition of a screen. */
export const ORDINARY: Readonly<Record<string, string>> = { US: "2B", JP: "200B", VN: "5T" };
