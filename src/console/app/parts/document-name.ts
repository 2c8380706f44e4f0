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
