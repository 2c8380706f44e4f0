/** What errors and descriptions write where a user and a password belong. */
const PLACEHOLDER = "user:password";

/**
 * A text for people, logs and archives: without the user and the password of its URLs, which are between
 * `://` and `@`, and without the query of a Postgres URL, which can hold them too.
 */
export function hideSecrets(text: string): string {
  return text.replaceAll(/\S+/g, (word) => {
    const start = word.indexOf("://") + "://".length;
    // The last @, because people write passwords with @ and / as they are.
    const end = word.lastIndexOf("@");
    const isSecret = start > 2 && end >= start && word.slice(start, end) !== PLACEHOLDER;
    const shown = isSecret ? `${word.slice(0, start)}…${word.slice(end)}` : word;
    const query = shown.indexOf("?");
    const isPostgres = query >= 0 && /postgres(?:ql)?:\/\//i.test(shown.slice(0, query));
    return isPostgres ? `${shown.slice(0, query + 1)}…` : shown;
  });
}
