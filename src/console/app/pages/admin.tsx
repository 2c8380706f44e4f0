import { PageTitle } from "#console/app/parts/page-title.tsx";

/** Admin. */
export default function AdminPage() {
  return <PageTitle title="Admin" />;
}
