import { PageTitle } from "#console/app/parts/page-title.tsx";

/** Connect. */
export default function ConnectPage() {
  return <PageTitle title="Connect" />;
}
