/** Addresses that only this computer or its own network can reach, and names of such. */
const LOCAL_IPV4 = /^(?:0|127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/;
const LOCAL_IPV6 = /^\[(?:::1?|f[cd].*|fe80:.*)\]$/;
const LOCAL_NAME = /\.(?:localhost|local|internal|lan)$/;

/** The host of an address that other networks cannot reach, and null for any other one. */
export function localHostOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { hostname } = new URL(url);
  const isLocal =
    // A name without a dot is one of this computer or its own network.
    !/[.[]/.test(hostname) ||
    [LOCAL_IPV4, LOCAL_IPV6, LOCAL_NAME].some((pattern) => pattern.test(hostname));
  return isLocal ? hostname : null;
}

/** True for a recipe whose sentences say that other servers read the address. */
export const needsPublicAddress = (how: string): boolean => /\bpublic\b/.test(how);

/** Sentences of a proof that say what was not tried. The README keeps them; a reader takes them for a warning. */
const UNTRIED = /\b(?:not run|could not be installed here)\.$/;

/** The sentences of a recipe's proof that say what was run. */
export function provenSentences(proof: string | null): readonly string[] {
  return (proof ?? "").split(/(?<=\.) (?=[A-Z])/).filter((one) => one !== "" && !UNTRIED.test(one));
}
