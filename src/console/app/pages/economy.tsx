import { PageTitle } from "#console/app/parts/page-title.tsx";

/** Economy. */
export default function EconomyPage() {
  return <PageTitle title="Economy" />;
}
