import { PageTitle } from "#console/app/parts/page-title.tsx";

/** Markets. */
export default function MarketsPage() {
  return <PageTitle title="Markets" />;
}
