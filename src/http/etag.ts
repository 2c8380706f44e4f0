/**
 * A weak entity tag, `W/"…"`: the same for every encoding of a payload, and while `as_of` moves on.
 *
 * @param quoted a hash in double quotes
 */
export function weakEtag(quoted: string): string {
  return `W/${quoted}`;
}

/** True if the client holds the payload with this hash (in double quotes), by `If-None-Match`. */
export function isHeld(request: Request, quoted: string): boolean {
  const held = request.headers.get("if-none-match");
  if (held === null) return false;
  return held.split(",").some((tag) => {
    const bare = tag.trim().replace(/^W\//, "");
    return bare === "*" || bare === quoted;
  });
}
