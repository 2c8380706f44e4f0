import { useState } from "preact/hooks";
import { type Resource, useConsole } from "#console/app/api.ts";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { RecipeTexts, readsKind, withMade } from "#console/app/pages/programs/recipe.tsx";
import type { ShownToken } from "./secret.tsx";

/** What to do with the token that was just made: the recipes of the page Connect, with the token in them. */
export function ConnectPanel(props: {
  readonly shown: ShownToken | null;
  readonly tokens: Resource<AnswerTo<"GET tokens">>;
}) {
  const { shown, tokens } = props;
  return (
    <Panel title="Use the token">
      {shown ? (
        <Recipes shown={shown} tokens={tokens} />
      ) : (
        <p>{t("Create a token, and how to use it in your program appears here.")}</p>
      )}
      <p class="muted">
        <a href="/console/programs">{t("claude.ai, ChatGPT and all other programs")}</a>
      </p>
    </Panel>
  );
}

/** The recipe of a program that takes a token of this kind. */
function Recipes(props: {
  readonly shown: ShownToken;
  readonly tokens: Resource<AnswerTo<"GET tokens">>;
}) {
  const { shown, tokens } = props;
  const recipes = useConsole("GET recipes");
  const [chosen, setChosen] = useState("Claude Code");
  return (
    <Loaded of={recipes} lines={6}>
      {(list) => {
        const fitting = list.filter((recipe) => readsKind(recipe, shown.kind));
        const recipe = fitting.find(({ program }) => program === chosen) ?? fitting[0];
        if (!recipe) return null;
        return (
          <>
            <label>
              {t("Program")}{" "}
              <select
                name="program"
                value={recipe.program}
                onChange={(event) => setChosen(event.currentTarget.value)}
              >
                {fitting.map(({ program }) => (
                  <option key={program} value={program}>
                    {program}
                  </option>
                ))}
              </select>
            </label>
            <RecipeTexts recipe={recipe} made={withMade({}, shown)} tokens={tokens} />
          </>
        );
      }}
    </Loaded>
  );
}
