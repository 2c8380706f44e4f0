import { translate } from "#console/app/words.ts";
import { ApiError, queryOf, request, type Resource } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { CopyButton } from "#console/app/parts/code-block.tsx";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { Failure } from "#console/app/parts/panel.tsx";
import { showToast } from "#console/app/parts/toast.tsx";
import { open, setQuery } from "#console/app/router.ts";
import { nameOf } from "#console/app/user-lists.ts";
import type { AnswerTo, BodyOf } from "#http/console-api.ts";

/** What is saved of a screen beside its name. */
export type Screen = BodyOf<"PUT screens/:name">;

/** A question that many investors ask. Its conditions hold in every currency. */
interface Preset {
  readonly name: string;
  readonly where: string;
  readonly sort: string;
}

const PRESETS: readonly Preset[] = [
  { name: "Cheap and paying", where: "pe<15,dividend_yield>3,payout_ratio<80", sort: "pe" },
  {
    name: "Quality at a fair price",
    where: "roe>15,net_margin>10,pe<25,debt_to_equity<1",
    sort: "-roe",
  },
  { name: "Near 52-week low", where: "above_low_52w<10", sort: "above_low_52w" },
  { name: "Momentum", where: "return_6m>20,return_1m>0", sort: "-return_6m" },
  { name: "Net cash", where: "net_debt<0,free_cash_flow>0", sort: "-fcf_yield" },
  {
    name: "Analysts' favourites",
    where: "analyst_count>=5,target_upside>15,rating<=2",
    sort: "-target_upside",
  },
  { name: "Small and growing", where: "revenue_growth>15,eps_growth>15", sort: "market_cap" },
  {
    name: "Dividend growers",
    where: "dividend_years_raised>=5,dividend_yield>2",
    sort: "-dividend_growth_5y",
  },
];

/** The title of the page: the saved screen, the preset with these conditions, or what the page is. */
export function titleOf(saved: string | null, where: string): string {
  return saved ?? PRESETS.find((one) => one.where === where)?.name ?? "Screener";
}

const addressOf = (args: Readonly<Record<string, string | undefined>>) =>
  `/console/screen?${queryOf(args)}`;

/** The user's screens. */
export type OwnScreens = Resource<AnswerTo<"GET screens">>;

/** The presets and the user's own screens, as links. */
export function ScreenLinks(props: {
  readonly country: string;
  readonly where: string;
  readonly saved: string | null;
  readonly own: OwnScreens;
}) {
  const { country, where, saved, own } = props;
  return (
    <nav class="presets" aria-label="Screens">
      {PRESETS.map((preset) => (
        <a
          key={preset.name}
          href={addressOf({ country, where: preset.where, sort: preset.sort })}
          aria-current={saved === null && preset.where === where ? "page" : undefined}
        >
          {translate(preset.name)}
        </a>
      ))}
      {(own.value ?? []).map(({ name }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === saved}
          onClick={() => void openSaved(name)}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}

async function openSaved(name: string): Promise<void> {
  const screen: AnswerTo<"GET screens/:name"> = await request("GET screens/:name", { param: name });
  const { countries, where, sector, industry, sort, columns } = screen;
  const args = {
    country: countries.length === 3 ? "all" : countries.join(","),
    where: where || undefined,
    sector,
    industry,
    sort,
    metrics: columns?.join(","),
    saved: name,
  };
  open(addressOf(args));
}

/** Saves the screen under a name, or deletes the one that is shown. */
export function ScreenActions(props: {
  readonly saved: string | null;
  readonly screen: Screen;
  readonly own: OwnScreens;
}) {
  const { saved, screen, own } = props;
  const save = async (name: string) => {
    if (name !== saved && own.value?.some((one) => one.name === name)) {
      throw new ApiError(409, "EXISTS", `You have a screen ${name}. Choose another name.`);
    }
    await request("PUT screens/:name", { param: name, body: screen });
    own.reload();
    setQuery({ saved: name });
    showToast({ text: `The screen ${name} is saved.` });
  };
  const remove = async () => {
    if (saved === null) return;
    await request("DELETE screens/:name", { param: saved });
    own.reload();
    setQuery({ saved: null });
    showToast({ text: `The screen ${saved} was deleted.`, undo: () => save(saved) });
  };
  return (
    <div class="panel-actions">
      <CopyButton text={location.href} label="Copy link" />
      <DialogButton text="Save" title="Save this screen">
        {(close) => <SaveForm saved={saved} onSave={save} onDone={close} />}
      </DialogButton>
      {saved !== null && (
        <ConfirmButton text="Delete" question={`Delete ${saved}?`} action={remove}>
          The saved screen is deleted. Its address goes on working.
        </ConfirmButton>
      )}
    </div>
  );
}

function SaveForm(props: {
  readonly saved: string | null;
  readonly onSave: (name: string) => Promise<void>;
  readonly onDone: () => void;
}) {
  const { saved, onSave, onDone } = props;
  const { isBusy, error, run } = useAction();
  const submit = async (event: FormEvent) => {
    const name = nameOf(readText(readForm(event), "name"));
    if (await run(() => onSave(name))) onDone();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <label>
        Name
        <input name="name" required maxLength={40} defaultValue={saved ?? ""} />
      </label>
      {error !== null && <Failure message={error} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Save
        </button>
      </div>
    </form>
  );
}
