import { PageTitle } from "#console/app/parts/page-title.tsx";

/** Symbol. */
export default function SymbolPage() {
  return <PageTitle title="Symbol" />;
}
