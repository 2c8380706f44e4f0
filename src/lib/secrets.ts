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

/** Longer names are cut at their beginning. */
const MAX_NAME = 40;
/** The end of names of secrets: `RCLONE_PASSWORD`, `--token`, `X-Api-Key`; not of the file that holds one. */
const SECRET_NAME =
  /(?:pass|password|passwd|passphrase|pwd|secret|token|credentials|sig|signature|auth|authorization|(?:api|access|private|secret|account)[-_]?key)$/i;
const isSecret = (name: string) => SECRET_NAME.test(name.slice(-MAX_NAME));
/** Options of curl and other programs whose value is `user:password`. */
const USER_OPTIONS = new Set(["-u", "-U", "--user", "--proxy-user"]);
/** A word of a shell, which may have quoted parts. */
const SHELL_WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/g;

/**
 * The value of a setting for people, logs and archives: as `hideSecrets`, and without what a command or a URL names as
 * a secret: `TOKEN=…`, `--password …`, `?token=…`, `-H "Authorization: …"`, `-u anna:…`.
 */
export function hideSettingSecrets(value: string): string {
  let before = "";
  return hideSecrets(value).replaceAll(SHELL_WORD, (word) => {
    const option = before;
    before = word;
    if (option.startsWith("-") && isSecret(option)) return "…";
    if (USER_OPTIONS.has(option)) return word.replace(/:.*/, ":…");
    const [, quote = "", header = ""] = /^(["'])([\w-]{1,40}):/.exec(word) ?? [];
    if (isSecret(header)) return `${quote}${header}: …${quote}`;
    return word
      .split(/([?&;])/)
      .map((part) => {
        const end = part.indexOf("=");
        return end > 0 && isSecret(part.slice(0, end)) ? `${part.slice(0, end)}=…` : part;
      })
      .join("");
  });
}
