import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure } from "#console/app/parts/panel.tsx";
import { SearchButton } from "#console/app/parts/search-button.tsx";
import { pagesOf, pathOf, SECTIONS } from "#console/app/routes.ts";
import { me } from "#console/app/session.ts";
import { t } from "#console/app/words.ts";

/** Says that an address has no page, and lists those that there are. */
export default function UnknownPage() {
  return (
    <>
      <PageTitle title={t("Unknown page")} />
      <Failure
        message={t(
          "This page does not exist. Open one of these, or search for a company with the key /.",
        )}
      />
      <ul class="page-list">
        {SECTIONS.flatMap(pagesOf).map((page) => (
          <li key={page.name}>
            <a href={pathOf(page)}>{page.name && t(page.name)}</a>
          </li>
        ))}
      </ul>
      {me.value && <SearchButton text="" />}
    </>
  );
}
