import { PageTitle } from "#console/app/parts/page-title.tsx";

/** Sectors. */
export default function SectorsPage() {
  return <PageTitle title="Sectors" />;
}
