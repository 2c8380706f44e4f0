/** The symbol of the currency pair of a US dollar: `JPY=X` is the price of one dollar in yen. */
export const pairOf = (currency: string) => `${currency}=X`;

/** The symbol of the opposite pair: `EURUSD=X` is the price of one euro in dollars. */
export const inversePairOf = (currency: string) => `${currency}USD=X`;
