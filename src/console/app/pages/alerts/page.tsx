import { useEffect } from "preact/hooks";
import { isSettled, useConsole, useResource } from "#console/app/api.ts";
import { newestMessage } from "#console/app/changes.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { place } from "#console/app/router.ts";
import { loadLists } from "#console/app/user-lists.ts";
import { t } from "#console/app/words.ts";
import { ChannelsPanel } from "./channels.tsx";
import { AlertForm } from "./form.tsx";
import { MessagesPanel } from "./messages.tsx";
import { AlertTable } from "./rules.tsx";

/** Alerts: make one, see what is true now, what was said, and where it is sent. */
export default function AlertsPage() {
  const alerts = useConsole("GET alerts");
  // Another tab or an agent may have changed them.
  useResource("lists", loadLists);
  const at = newestMessage.value;
  useEffect(() => {
    if (at > 0) alerts.reload();
  }, [at]);
  const watch = place.value.query.get("watch") ?? "";
  return (
    <>
      <PageTitle title={t("Alerts")} />
      {/* The panels come together, so that none of them moves. */}
      <Loaded of={alerts} lines={12}>
        {(known) => (
          <>
            <div class="columns">
              <Panel title="New alert">
                <AlertForm key={watch} watch={watch} known={known} onSaved={alerts.reload} />
              </Panel>
              <ChannelsPanel channels={known.channels} onChanged={alerts.reload} />
            </div>
            <Panel title="Your alerts">
              {known.alerts.length === 0 ? (
                <Empty>
                  {t("You have no alert yet. A thesis on an item of a list is judged without one.")}
                </Empty>
              ) : (
                <AlertTable known={known} onChanged={alerts.reload} />
              )}
            </Panel>
          </>
        )}
      </Loaded>
      {isSettled(alerts) && <MessagesPanel />}
    </>
  );
}
