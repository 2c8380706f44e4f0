import { PageTitle } from "#console/app/parts/page-title.tsx";

/** API. */
export default function APIPage() {
  return <PageTitle title="API" />;
}
