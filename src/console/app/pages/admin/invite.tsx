import { useState } from "preact/hooks";
import { isSettled, request, useConsole } from "#console/app/api.ts";
import { formatInstant, MISSING } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { clearField, type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { type LinkOfUser, PlanField, ShownLink } from "./user.tsx";

type Invitation = AnswerTo<"GET invitations">[number];

/** Invitations: make one, see the open ones, revoke one. */
export function InvitePanel({ plans }: { readonly plans: readonly string[] }) {
  const invitations = useConsole("GET invitations");
  const { isBusy, error, run } = useAction();
  const [made, setMade] = useState<LinkOfUser | null>(null);
  const submit = (event: FormEvent) => {
    const element = event.currentTarget;
    const form = readForm(event);
    const body = { plan: readText(form, "plan"), note: readText(form, "note").trim() };
    setMade(null);
    return run(async () => {
      setMade(await request("POST invitations", { body }));
      clearField(element, "note");
      invitations.reload();
    });
  };
  return (
    <Panel title="Invite a user">
      <p class="muted">
        {t(
          "A link makes one person a user, within 7 days. The person chooses the name and the password.",
        )}
      </p>
      <form class="row-form" onSubmit={(event: FormEvent) => void submit(event)}>
        <label>
          {t("Note")}
          <input
            name="note"
            maxLength={100}
            autocomplete="off"
            placeholder={t("Name of the guest")}
          />
        </label>
        <PlanField plans={plans} plan="free" />
        <button type="submit" class="primary" disabled={isBusy || plans.length === 0}>
          {t("Invite")}
        </button>
      </form>
      {error !== null && <Failure message={error} />}
      {made !== null && <ShownLink link={made} />}
      {/* Most often there is none, so it has no placeholder that would go away. */}
      {isSettled(invitations) && (
        <Loaded of={invitations}>
          {(list) =>
            list.length > 0 && (
              <DataTable
                label="Open invitations"
                columns={columnsOf(invitations.reload)}
                rows={list}
                keyOf={({ id }) => id}
              />
            )
          }
        </Loaded>
      )}
    </Panel>
  );
}

const columnsOf = (onChanged: () => void): Column<Invitation>[] => [
  { title: "Note", cell: ({ note }) => note || MISSING },
  { title: "Plan", cell: ({ plan }) => plan },
  { title: "By", cell: ({ by }) => by, isExtra: true },
  { title: "Expires", cell: ({ expiresAt }) => formatInstant(expiresAt) },
  {
    title: "Action",
    cell: ({ id }) => <Revoke id={id} onChanged={onChanged} />,
    isNumber: true,
  },
];

function Revoke({ id, onChanged }: { readonly id: number; readonly onChanged: () => void }) {
  const { isBusy, error, run } = useAction();
  const revoke = async () => {
    await request("DELETE invitations/:id", { param: id });
    onChanged();
  };
  return (
    <>
      {error !== null && <Failure message={error} />}
      <button type="button" class="quiet" disabled={isBusy} onClick={() => void run(revoke)}>
        {t("Revoke")}
      </button>
    </>
  );
}
