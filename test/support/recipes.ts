import { fillRecipe } from "#console/app/client-lines.ts";
import { listRecipes } from "#feeds/recipes/recipes.ts";
import type { TestService } from "./service.ts";

/** The texts of a program's recipe for a service, with a new feed link and a token of one user in them. */
export function fillRecipes(service: TestService) {
  const { user, token } = service.createToken();
  const { token: link } = service.accounts.createToken(user, "recipes", null, "feed");
  const fill = (text: string) =>
    fillRecipe(text, { URL: service.origin, LINK: link, TOKEN: token });
  return {
    link,
    token,
    fill,
    /** The text of a program with that label. */
    textOf: (program: string, label: string | null = null): string => {
      const recipe = listRecipes().find((one) => one.program === program);
      const found = recipe?.texts.find((one) => one.label === label);
      if (!found) throw new Error(`no text ${label} for ${program}`);
      return fill(found.text);
    },
  };
}
