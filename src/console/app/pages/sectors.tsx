import { type Call, useData } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import { CountryTabs, countryInText } from "#console/app/parts/country.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { SectorCompanies } from "./sectors-companies.tsx";
import {
  ChangeTable,
  EarningsTable,
  type SectorAnswer,
  type SectorRow,
  ValuationTable,
} from "./sectors-tables.tsx";

/** The number of sectors. */
const SECTORS = 11;

/** Sectors of a country, the industries of one sector, and its companies. */
export default function SectorsPage() {
  const { query } = place.value;
  const country = query.get("country") ?? "US";
  const sector = query.get("sector");
  const industry = query.get("industry");
  const sectors: Call = { operation: "get_sectors", args: { country } };
  const shown: Call =
    sector === null
      ? sectors
      : { operation: "get_sectors", args: { country, sector, level: "industry" } };
  const answer = useData<SectorAnswer>(shown);
  const all = useData<SectorAnswer>(sectors);
  const name = (sector !== null && all.value?.data.sectors[sector]?.name) || sector;
  const linkOf = ({ slug }: SectorRow) => {
    const args = sector === null ? { sector: slug } : { sector, industry: slug };
    return `/console/sectors?${new URLSearchParams({ country, ...args })}`;
  };
  const industryName =
    (industry !== null && answer.value?.data.sectors[industry]?.name) || industry;
  const what = sector === null ? "Sectors" : `Industries of ${name}`;
  const panel = { calls: [shown], answer: answer.value };
  const lines = sector === null ? SECTORS : 6;
  const table = { of: sector === null ? "Sector" : "Industry", linkOf };
  return (
    <>
      <PageTitle
        title={name === null ? "Sectors" : `${industryName ?? name} in ${countryInText(country)}`}
      >
        <CountryTabs
          current={country}
          onChange={(code) => setQuery({ country: code === "US" ? null : code })}
        />
      </PageTitle>
      {sector !== null && (
        <nav class="crumbs" aria-label="Up">
          <a href={`/console/sectors?${new URLSearchParams({ country })}`}>All sectors</a>
          {industry !== null && (
            <a href={`/console/sectors?${new URLSearchParams({ country, sector })}`}>{name}</a>
          )}
        </nav>
      )}
      {industry === null && (
        <>
          <Panel title={`${what}: size and change`} {...panel}>
            <Loaded of={answer} lines={lines}>
              {({ data }) => <ChangeTable data={data} {...table} />}
            </Loaded>
          </Panel>
          <Panel title={`${what}: valuation`} {...panel}>
            <IndexLine data={all.value?.data} />
            <Loaded of={answer} lines={lines}>
              {({ data }) => <ValuationTable data={data} {...table} />}
            </Loaded>
          </Panel>
          <Panel title={`${what}: growth and margins`} {...panel}>
            <Loaded of={answer} lines={lines}>
              {({ data }) => <EarningsTable data={data} {...table} />}
            </Loaded>
          </Panel>
        </>
      )}
      {sector !== null && (
        <SectorCompanies
          key={`${country} ${sector} ${industry}`}
          country={country}
          sector={sector}
          industry={industry}
          name={industryName ?? name ?? sector}
        />
      )}
    </>
  );
}

/** The P/E of the index, with which sectors are compared. */
function IndexLine({ data }: { readonly data: SectorAnswer | undefined }) {
  if (!data) return <p class="muted"> </p>;
  const { country_pe: pe, country_pe_5y_avg: average, country_index_name: index } = data;
  const status = data.country_valuation_status;
  return (
    <p class="muted">
      {index}: P/E {formatNumber(pe, 1)}, five-year average {formatNumber(average, 1)}
      {status === "insufficient_history" ? "." : `: ${status}.`} The dashed line is the P/E of the{" "}
      index.
    </p>
  );
}
