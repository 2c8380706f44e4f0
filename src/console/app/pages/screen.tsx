import { PageTitle } from "#console/app/parts/page-title.tsx";

/** Screen. */
export default function ScreenPage() {
  return <PageTitle title="Screen" />;
}
