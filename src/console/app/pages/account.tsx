import { PageTitle } from "#console/app/parts/page-title.tsx";

/** Account. */
export default function AccountPage() {
  return <PageTitle title="Account" />;
}
