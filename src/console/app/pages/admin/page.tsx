import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { AuditPanel } from "./audit.tsx";
import { ServicePanels } from "./service.tsx";
import { SourcesPanel } from "./sources.tsx";
import { UsagePanel } from "./usage.tsx";
import { UsersPanel } from "./users.tsx";
import { type Sentence, t } from "#console/app/words.ts";

const PARTS = ["service", "users", "usage", "sources", "audit"] as const;
type Part = (typeof PARTS)[number];

const TITLES: Readonly<Record<Part, Sentence>> = {
  service: "Service",
  users: "Users",
  usage: "Usage",
  sources: "Sources",
  audit: "Audit log",
};

/** Admin: the state of the service, its users, their usage, its sources, and the audit log. */
export default function AdminPage() {
  const chosen = place.value.query.get("part");
  const part = PARTS.find((one) => one === chosen) ?? "service";
  return (
    <>
      <PageTitle title={t("Admin")}>
        <Tabs
          label="Part"
          tabs={PARTS}
          current={part}
          onChange={(tab) => setQuery({ part: tab, find: null })}
          textOf={(tab) => TITLES[tab]}
        />
      </PageTitle>
      {part === "service" && <ServicePanels />}
      {part === "users" && <UsersPanel />}
      {part === "usage" && <UsagePanel />}
      {part === "sources" && <SourcesPanel />}
      {part === "audit" && <AuditPanel />}
    </>
  );
}
