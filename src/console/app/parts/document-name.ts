import { t } from "#console/app/words.ts";

/** Characters of a name of a list or of a screen. */
const MAX_NAME = 40;

/** The name that a person means, in the form that all clients can write: `My List` is `my-list`, `Cổ phiếu` is `co-phieu`. */
export const nameOf = (text: string) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll("đ", "d")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** Characters of a title. */
const MAX_TITLE = 60;

/** What a list or a screen is saved as. */
export interface TitledName {
  /** Its slug. */
  readonly name: string;
  /** What people call it; empty if that is its name. */
  readonly title: string;
}

/** The text as a title, with its slug. @param spare the name if the text has no letters a-z, unless it is a slug itself */
export function titledName(text: string, spare: string): TitledName {
  const title = text.replaceAll(/\s+/g, " ").trim();
  const slug = nameOf(title).slice(0, MAX_NAME).replace(/-$/, "");
  const name = slug === title || /[a-z]/.test(slug) ? slug || spare : spare;
  return { name, title: title === name ? "" : title };
}

/** The first free one of `list-1`, `list-2` and so on. */
export function spareName(kind: "list" | "screen", taken: readonly string[]): string {
  const free = taken.findIndex((_, i) => !taken.includes(`${kind}-${i + 1}`));
  return `${kind}-${(free < 0 ? taken.length : free) + 1}`;
}

/** Why a text cannot be the title of a list or a screen, as a sentence; empty if it can. */
export function faultOfTitle(text: string): string {
  const { length } = text.trim();
  if (text === "" || (length > 0 && length <= MAX_TITLE)) return "";
  return t("Any letters, at most {most}.", { most: MAX_TITLE });
}

/** What agents and programs call the list or the screen with a title, or which titles there are. */
export function describeTitle(text: string): string {
  const { name, title } = titledName(text, "");
  return title === "" || name === "" || faultOfTitle(text) !== ""
    ? t("Any letters, at most {most}.", { most: MAX_TITLE })
    : t("Agents and programs call it {name}.", { name });
}

/** Why a text cannot be a name, as a sentence; empty if it can. */
export function faultOfName(text: string): string {
  const name = nameOf(text);
  if (text === "") return "";
  if (name === "") {
    return t("Write a name with letters a to z or digits, because agents and programs use it too.");
  }
  return name.length > MAX_NAME
    ? t("The name has {count} characters. Shorten it to {most}.", {
        count: name.length,
        most: MAX_NAME,
      })
    : "";
}

/** What a text becomes as a name, or which names there are. */
export function describeName(text: string): string {
  const name = nameOf(text);
  const fault = faultOfName(text);
  if (fault !== "") return fault;
  return name === text || name === ""
    ? t("Letters a to z, digits and hyphens, at most {most}.", { most: MAX_NAME })
    : t("It is saved as {name}.", { name });
}
