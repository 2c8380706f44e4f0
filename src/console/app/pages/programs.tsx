import { useState } from "preact/hooks";
import { request, type Resource, useConsole } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { CodeBlock } from "#console/app/parts/code-block.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { service } from "#console/app/session.ts";
import { fillRecipe } from "#console/client-lines.ts";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { FirstCall } from "./tokens-connect.tsx";
import { Secret, type ShownToken } from "./tokens-secret.tsx";
import { TokenTable } from "./tokens-table.tsx";

type Recipe = AnswerTo<"GET recipes">[number];

/** The secret that a recipe needs: its mark in the texts, its kind, and its name for people. */
const SECRETS = [
  ["LINK", "feed", "feed link"],
  ["TOKEN", "api", "token"],
] as const;
type Mark = (typeof SECRETS)[number][0];
/** The secrets that were made on the page. They are in its memory only, so they are gone when it is left. */
type Made = Partial<Record<Mark, ShownToken>>;

const LIFETIME = "1y";

/** Connect: how each program reads the service, with a token of its own, and below it all tokens. */
export default function ProgramsPage() {
  const recipes = useConsole("GET recipes");
  return (
    <>
      <PageTitle title="Connect" />
      <Loaded of={recipes} lines={12}>
        {(list) => <Programs recipes={list} />}
      </Loaded>
    </>
  );
}

/** Shows the recipe of a program, which is below the programs on a narrow screen. */
function choose(program: string): void {
  setQuery({ program });
  const panel = document.getElementById("recipe");
  if (panel && panel.getBoundingClientRect().top > window.innerHeight / 2) panel.scrollIntoView();
}

function Programs({ recipes }: { readonly recipes: readonly Recipe[] }) {
  const tokens = useConsole("GET tokens");
  const usage = useConsole("GET usage", "days=30");
  const [made, setMade] = useState<Made>({});
  const [replaced, setReplaced] = useState<ShownToken | null>(null);
  const add = (token: ShownToken) => {
    setMade({ ...made, [token.kind === "feed" ? "LINK" : "TOKEN"]: token });
    tokens.reload();
  };
  const chosen = place.value.query.get("program");
  const recipe = recipes.find(({ program }) => program === chosen) ?? recipes[0];
  const groups = Map.groupBy(recipes, ({ group }) => group);
  if (!recipe) return null;
  return (
    <>
      <div class="columns">
        <Panel title="Programs">
          {[...groups].map(([group, members]) => (
            <div class="programs" key={group}>
              <h3>{translate(group)}</h3>
              <Tabs
                label={group}
                tabs={members.map(({ program }) => program)}
                current={recipe.program}
                onChange={choose}
              />
            </div>
          ))}
        </Panel>
        <div id="recipe">
          <RecipePanel
            key={recipe.program}
            recipe={recipe}
            made={made}
            tokens={tokens}
            onCreated={add}
          />
        </div>
      </div>
      <Panel title="Your tokens" actions={<a href="/console/log">{t("Call log")}</a>}>
        {replaced && <Secret shown={replaced} />}
        <Loaded of={tokens}>
          {(list) => (
            <TokenTable
              tokens={list}
              usage={usage.value}
              onChanged={() => tokens.reload()}
              onCreated={setReplaced}
            />
          )}
        </Loaded>
      </Panel>
    </>
  );
}

function RecipePanel(props: {
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
    <Panel title={program}>
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
    </Panel>
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
