/** An instrument, as the arguments of a call. */
export type Subject = { readonly country: string; readonly symbol: string };
