import { request, type Resource } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { CodeBlock } from "#console/app/parts/code-block.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { Failure } from "#console/app/parts/panel.tsx";
import { service } from "#console/app/session.ts";
import { fillRecipe } from "#console/client-lines.ts";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { FirstCall } from "./tokens-connect.tsx";
import type { ShownToken } from "./tokens-secret.tsx";

/** How a program reads the service. */
export type Recipe = AnswerTo<"GET recipes">[number];

/** The secret that a recipe needs: its mark in the texts, its kind, and its name for people. */
const SECRETS = [
  ["LINK", "feed", "feed link"],
  ["TOKEN", "api", "token"],
] as const;
type Mark = (typeof SECRETS)[number][0];
/** The secrets that were made on the page. They are in its memory only, so they are gone when it is left. */
export type Made = Partial<Record<Mark, ShownToken>>;

/** The secrets with one more. */
export function withMade(made: Made, token: ShownToken): Made {
  return { ...made, [token.kind === "feed" ? "LINK" : "TOKEN"]: token };
}

const LIFETIME = "1y";

/** What to do in a program: the texts for it, and a form that makes the secret in them. */
export function RecipeTexts(props: {
  readonly recipe: Recipe;
  readonly made: Made;
  readonly tokens: Resource<AnswerTo<"GET tokens">>;
  readonly onCreated: (token: ShownToken) => void;
}) {
  const { recipe, made, tokens, onCreated } = props;
  const { program, how, texts, proof } = recipe;
  const values = {
    URL: service.value?.url ?? window.location.origin,
    LINK: made.LINK?.token,
    TOKEN: made.TOKEN?.token,
  };
  const needed = SECRETS.find(([mark]) => texts.some(({ text }) => text.includes(`<${mark}>`)));
  const shown = needed && made[needed[0]];
  return (
    <>
      <p>{translate(how)}</p>
      {needed && !shown && <SecretForm program={program} needed={needed} onCreated={onCreated} />}
      {needed && shown && (
        <p role="status">
          {t(
            "Your new {name} is in the texts. Copy them now: it is not shown again. It ends in a year, or when you revoke it.",
            { name: translate(needed[2]) },
          )}
        </p>
      )}
      {texts.map(({ label, text }) => (
        <div class="recipe-text" key={label}>
          {label !== null && <p class="muted">{label}</p>}
          <CodeBlock text={fillRecipe(text, values)} />
        </div>
      ))}
      {shown && <FirstCall id={shown.id} tokens={tokens} />}
      <p class="muted">{proof ?? t("Not tried with the program itself.")}</p>
    </>
  );
}

/** Makes the secret that the texts need, which is shown in them this one time. */
function SecretForm(props: {
  readonly program: string;
  readonly needed: (typeof SECRETS)[number];
  readonly onCreated: (token: ShownToken) => void;
}) {
  const { program, needed, onCreated } = props;
  const [mark, kind] = needed;
  const { isBusy, error, run } = useAction();
  const submit = async (event: FormEvent) => {
    const label = readText(readForm(event), "label").trim();
    await run(async () => {
      const body = { kind, label, expires: LIFETIME };
      onCreated({ ...(await request("POST tokens", { body })), kind, label });
    });
  };
  return (
    <>
      <form class="row-form" onSubmit={submit}>
        <label>
          {t("Label")}
          <input name="label" required maxLength={64} defaultValue={program} />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          {t(kind === "feed" ? "Make a feed link" : "Make a token")}
        </button>
      </form>
      <p class="muted">{t("It takes the place of {mark} below.", { mark: `<${mark}>` })}</p>
      {error !== null && <Failure message={error} />}
    </>
  );
}
