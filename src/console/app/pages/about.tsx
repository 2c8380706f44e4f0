import { PageTitle } from "#console/app/parts/page-title.tsx";

/** About. */
export default function AboutPage() {
  return <PageTitle title="About" />;
}
