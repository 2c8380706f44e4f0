import { PageTitle } from "#console/app/parts/page-title.tsx";

/** Tokens. */
export default function TokensPage() {
  return <PageTitle title="Tokens" />;
}
