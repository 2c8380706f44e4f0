import { useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { DraftInput } from "#console/app/parts/draft-input.tsx";
import { clearField, type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Ago } from "#console/app/parts/time.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { me } from "#console/app/session.ts";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { InvitePanel } from "./invite.tsx";
import {
  type LinkOfUser,
  makeLink,
  PlanAndRole,
  readRole,
  ShownLink,
  type User,
  UserDetails,
} from "./user.tsx";

/** Users: add one, find one, and open one to change it. */
export function UsersPanel() {
  const users = useConsole("GET users");
  const plans = useConsole("GET plans");
  const names = plans.value?.map(({ plan }) => plan) ?? [];
  const find = place.value.query.get("find") ?? "";
  return (
    <>
      <div class="columns">
        <Panel title="Add a user">
          <AddUser plans={names} onAdded={users.reload} />
        </Panel>
        <InvitePanel plans={names} />
      </div>
      <Panel
        title="Users"
        actions={
          <DraftInput
            isSearch
            label={t("Find a user")}
            placeholder={t("Find: name, role or plan")}
            value={find}
            onDone={(text) => setQuery({ find: text || null })}
          />
        }
      >
        <Loaded of={users}>
          {(list) => (
            <DataTable
              label="All users"
              columns={columnsOf(names, users.reload)}
              rows={list.filter((user) => isFound(user, find))}
              keyOf={({ name }) => name}
            />
          )}
        </Loaded>
      </Panel>
      {/* Below a table of unknown height, so it comes after it. */}
      {users.isLoading && users.value === null ? null : (
        <Panel title="Plans">
          <Loaded of={plans}>
            {(list) => (
              <DataTable
                label="Limits of the plans"
                columns={PLAN_COLUMNS}
                rows={list}
                keyOf={({ plan }) => plan}
              />
            )}
          </Loaded>
        </Panel>
      )}
    </>
  );
}

const PLAN_COLUMNS: readonly Column<AnswerTo<"GET plans">[number]>[] = [
  { title: "Plan", cell: ({ plan }) => plan },
  {
    title: "Calls a day, per token",
    cell: ({ daily }) => (daily === null ? t("no limit") : formatNumber(daily, 0)),
    isNumber: true,
  },
  {
    title: "Calls an hour, per token",
    cell: ({ hourly }) => (hourly === null ? t("no limit") : formatNumber(hourly, 0)),
    isNumber: true,
  },
  {
    title: "Live tokens of a user",
    cell: ({ tokens }) => formatNumber(tokens, 0),
    isNumber: true,
  },
];

function AddUser(props: { readonly plans: readonly string[]; readonly onAdded: () => void }) {
  const { plans, onAdded } = props;
  const { isBusy, error, run } = useAction();
  const [added, setAdded] = useState<{ readonly name: string; readonly link: LinkOfUser } | null>(
    null,
  );
  const submit = (event: FormEvent) => {
    const element = event.currentTarget;
    const form = readForm(event);
    const name = readText(form, "name").trim();
    const body = { name, plan: readText(form, "plan"), role: readRole(form) };
    setAdded(null);
    return run(async () => {
      await request("POST users", { body });
      clearField(element, "name");
      onAdded();
      setAdded({ name, link: await makeLink(name) });
    });
  };
  return (
    <>
      <form class="row-form" onSubmit={(event: FormEvent) => void submit(event)}>
        <label>
          {t("Name")}
          <input name="name" required autocomplete="off" />
        </label>
        <PlanAndRole plans={plans} plan="free" role="user" />
        <button type="submit" class="primary" disabled={isBusy || plans.length === 0}>
          {t("Add")}
        </button>
      </form>
      {error !== null && <Failure message={error} />}
      {added !== null && (
        <>
          <p role="status">
            <span class="gain">✓</span>{" "}
            {t("{name} was added. Send this link over a private channel: it signs in once.", {
              name: added.name,
            })}
          </p>
          <ShownLink link={added.link} />
        </>
      )}
    </>
  );
}

/** True if each word of a text is in the name, role or plan of the user. */
function isFound({ name, role, plan }: User, text: string): boolean {
  const all = `${name} ${role} ${plan}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

function columnsOf(plans: readonly string[], onChanged: () => void): Column<User>[] {
  return [
    {
      title: "Name",
      cell: (user) => (
        <>
          <DialogButton text={user.name} title={t("User {name}", { name: user.name })} isWide>
            {(close) => (
              <UserDetails user={user} plans={plans} onChanged={onChanged} onDone={close} />
            )}
          </DialogButton>
          {user.name === me.value?.user && <span class="muted"> {t("(you)")}</span>}
        </>
      ),
      sortBy: ({ name }) => name.toLowerCase(),
    },
    { title: "Role", cell: ({ role }) => translate(role), sortBy: ({ role }) => role },
    { title: "Plan", cell: ({ plan }) => plan, sortBy: ({ plan }) => plan },
    {
      title: "Live tokens",
      cell: ({ liveTokens }) => formatNumber(liveTokens, 0),
      sortBy: ({ liveTokens }) => liveTokens,
      isNumber: true,
      isExtra: true,
    },
    {
      title: "Calls this hour",
      cell: ({ callsThisHour }) => formatNumber(callsThisHour, 0),
      sortBy: ({ callsThisHour }) => callsThisHour,
      isNumber: true,
      isExtra: true,
    },
    {
      title: "Calls today",
      cell: ({ callsToday }) => formatNumber(callsToday, 0),
      sortBy: ({ callsToday }) => callsToday,
      isNumber: true,
      isExtra: true,
    },
    {
      title: "Password",
      cell: ({ hasPassword }) => t(hasPassword ? "set" : "none"),
      isExtra: true,
    },
    {
      title: "Added",
      cell: ({ createdAt }) => <Ago at={createdAt} />,
      sortBy: ({ createdAt }) => createdAt,
      isExtra: true,
    },
  ];
}
