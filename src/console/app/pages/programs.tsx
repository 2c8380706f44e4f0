import { useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { CodeBlock } from "#console/app/parts/code-block.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { service } from "#console/app/session.ts";
import { fillRecipe } from "#console/client-lines.ts";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

type Recipe = AnswerTo<"GET recipes">[number];

/** The secret that a recipe needs: its mark in the texts, its kind, and its name for people. */
const SECRETS = [
  ["LINK", "feed", "feed link"],
  ["TOKEN", "api", "token"],
] as const;
type Mark = (typeof SECRETS)[number][0];

const LIFETIME = "1y";

/** Connect: how each program reads the service. */
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
  // They are in this page's memory only, so they are gone when the page is left.
  const [secrets, setSecrets] = useState<Partial<Record<Mark, string>>>({});
  const chosen = place.value.query.get("program");
  const recipe = recipes.find(({ program }) => program === chosen) ?? recipes[0];
  const groups = Map.groupBy(recipes, ({ group }) => group);
  if (!recipe) return null;
  return (
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
          secrets={secrets}
          onCreated={(mark, secret) => setSecrets({ ...secrets, [mark]: secret })}
        />
      </div>
    </div>
  );
}

function RecipePanel(props: {
  readonly recipe: Recipe;
  readonly secrets: Partial<Record<Mark, string>>;
  readonly onCreated: (mark: Mark, secret: string) => void;
}) {
  const { recipe, secrets, onCreated } = props;
  const { program, how, texts, proof } = recipe;
  const values = { URL: service.value?.url ?? window.location.origin, ...secrets };
  const needed = SECRETS.find(([mark]) => texts.some(({ text }) => text.includes(`<${mark}>`)));
  return (
    <Panel title={program}>
      <p>{translate(how)}</p>
      {needed && (
        <SecretLine
          program={program}
          needed={needed}
          isMade={secrets[needed[0]] !== undefined}
          onCreated={(secret) => onCreated(needed[0], secret)}
        />
      )}
      {texts.map(({ label, text }) => (
        <div class="recipe-text" key={label}>
          {label !== null && <p class="muted">{label}</p>}
          <CodeBlock text={fillRecipe(text, values)} />
        </div>
      ))}
      <p class="muted">{proof ?? t("Not tried with the program itself.")}</p>
    </Panel>
  );
}

/** Makes the secret that the texts need, which is shown in them this one time. */
function SecretLine(props: {
  readonly program: string;
  readonly needed: (typeof SECRETS)[number];
  readonly isMade: boolean;
  readonly onCreated: (secret: string) => void;
}) {
  const { program, needed, isMade, onCreated } = props;
  const [mark, kind, name] = needed;
  const { isBusy, error, run } = useAction();
  const create = () =>
    run(async () => {
      const body = { kind, label: program, expires: LIFETIME };
      onCreated((await request("POST tokens", { body })).token);
    });
  if (isMade) {
    return (
      <p role="status">
        {t(
          "Your new {name} is in the texts. Copy them now: it is not shown again. It ends in a year, or when you revoke it.",
          { name: translate(name) },
        )}{" "}
        <a href="/console/tokens">{t("Tokens")}</a>
      </p>
    );
  }
  return (
    <>
      <p>
        <button type="button" class="primary" disabled={isBusy} onClick={() => void create()}>
          {t(kind === "feed" ? "Make a feed link" : "Make a token")}
        </button>{" "}
        <span class="muted">{t("It takes the place of {mark} below.", { mark: `<${mark}>` })}</span>
      </p>
      {error !== null && <Failure message={error} />}
    </>
  );
}
