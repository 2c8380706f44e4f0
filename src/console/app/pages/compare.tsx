import { PageTitle } from "#console/app/parts/page-title.tsx";

/** Compare. */
export default function ComparePage() {
  return <PageTitle title="Compare" />;
}
