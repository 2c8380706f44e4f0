import { useState } from "preact/hooks";
import { API, useConsole } from "#console/app/api.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { me } from "#console/app/session.ts";
import { place, setQuery } from "#console/app/router.ts";
import { t, translate } from "#console/app/words.ts";
import { ConnectionPanel } from "./connection.tsx";
import { type Made, type Recipe, RecipeTexts, withMade } from "./recipe.tsx";
import { Secret, type ShownToken } from "#console/app/pages/tokens/secret.tsx";
import { TokensPanel } from "#console/app/pages/tokens/table.tsx";

/** Connect: how each program reads the service, with a token of its own, and below it all tokens. */
export default function ProgramsPage() {
  const recipes = useConsole("GET recipes");
  return (
    <>
      <PageTitle title={t("Connect")}>
        <a href="/docs/examples">{t("Operations")}</a>
        <a href={`${API}/openapi.json`} download="openapi.json">
          openapi.json
        </a>
      </PageTitle>
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
  const usage = useConsole("GET usage", "days=7");
  const log = useConsole("GET calls");
  const [made, setMade] = useState<Made>({});
  const [replaced, setReplaced] = useState<ShownToken | null>(null);
  const add = (token: ShownToken) => {
    setMade(withMade(made, token));
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
                label={translate(group)}
                tabs={members.map(({ program }) => program)}
                current={recipe.program}
                onChange={choose}
              />
            </div>
          ))}
        </Panel>
        <div id="recipe">
          <Panel title={translate(recipe.program)}>
            <RecipeTexts
              key={recipe.program}
              recipe={recipe}
              made={made}
              tokens={tokens}
              onCreated={add}
            />
            {recipe.proof !== null && <p class="muted">{translate(recipe.proof)}</p>}
          </Panel>
        </div>
      </div>
      {me.value?.role === "admin" && <ConnectionPanel />}
      <TokensPanel tokens={tokens} usage={usage} log={log} onCreated={setReplaced}>
        {replaced && <Secret shown={replaced} />}
      </TokensPanel>
    </>
  );
}
