import { type Call, queryOf, useData } from "#console/app/api.ts";
import { nameInLanguage } from "#console/app/company-names.tsx";
import { formatNumber } from "#console/app/format.ts";
import { classNameOf, LOCAL_CLASSES } from "#console/app/parts/class-name.ts";
import { CountryTabs, countryInText, INDICES, verdictText } from "#console/app/parts/country.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Loaded, Panel, useAnchor } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { homeCountry } from "#console/app/user-settings.ts";
import { t, translate, translateTerm } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { SectorCompanies } from "./companies.tsx";
import { ClassTable, COLUMN_SETS, type ColumnSetName, type SectorRow } from "./tables.tsx";

/** The number of sectors. */
const SECTORS = 11;

/** Sectors of a country, the industries of one sector, and its companies. */
export default function SectorsPage() {
  const { query } = place.value;
  const country = query.get("country") ?? homeCountry();
  const sector = query.get("sector");
  const industry = query.get("industry");
  const isLocal = sector === null && query.get("by") === LOCAL;
  const all = useData({ operation: "get_sectors", args: { country } });
  const industries = useData(
    sector === null || industry === null ? null : industriesCall(country, sector),
  );
  const sectorName = classOf(sector, all.value?.data);
  const industryName = classOf(industry, industries.value?.data);
  const name = industryName ?? sectorName;
  const companies = sector !== null && (
    <SectorCompanies
      key={`${country} ${sector} ${industry}`}
      country={country}
      sector={sector}
      industry={industry}
      name={name ?? sector}
    />
  );
  return (
    <>
      <PageTitle
        title={
          name === null
            ? t("Sectors")
            : t("{name} in {country}", { name, country: countryInText(country) })
        }
      >
        <CountryTabs
          current={country}
          onChange={(code) =>
            setQuery({
              country: code === homeCountry() ? null : code,
              ...(sector?.includes(":") && { sector: null }),
            })
          }
        />
      </PageTitle>
      {sector === null && <Classifications country={country} isLocal={isLocal} />}
      {sector !== null && (
        <nav class="crumbs" aria-label={t("Up")}>
          <a href={linkTo({ country, ...(sector.includes(":") && { by: LOCAL }) })}>
            {t("All sectors")}
          </a>
          {industry !== null && <a href={linkTo({ country, sector })}>{sectorName}</a>}
        </nav>
      )}
      {industry === null && sector?.includes(":") !== true && (
        <Classes country={country} sector={sector} name={sectorName} isLocal={isLocal} />
      )}
      {companies}
    </>
  );
}

/** The classification of the page: the sectors of all countries, or the classes of the country's own one. */
const LOCAL = "local_sector";

function Classifications(props: { readonly country: string; readonly isLocal: boolean }) {
  const local = LOCAL_CLASSES[props.country];
  if (!local) return null;
  return (
    <Tabs
      label="Classification"
      tabs={["sector", LOCAL]}
      current={props.isLocal ? LOCAL : "sector"}
      textOf={(one) => (one === LOCAL ? local : "Sectors")}
      onChange={(by) => setQuery({ by: by === LOCAL ? by : null })}
    />
  );
}

/** The name of a sector or an industry in the reader's language, also of one that the country does not have. */
function classOf(slug: string | null, found: PayloadOf<"get_sectors"> | undefined): string | null {
  if (slug === null) return null;
  const name = found?.sectors[slug]?.name;
  return name === undefined ? classNameOf(slug) : translateTerm(translate(name));
}

/** The address of sectors, an industry or companies, with the columns that are chosen. */
function linkTo(query: Readonly<Record<string, string>>): string {
  const columns = place.value.query.get("columns") ?? undefined;
  return `/console/sectors?${queryOf({ ...query, columns })}`;
}

function industriesCall(country: string, sector: string): Call<"get_sectors"> {
  return { operation: "get_sectors", args: { country, sector, level: "industry" } };
}

const SETS = Object.keys(COLUMN_SETS) as ColumnSetName[];

/** The chosen columns. The rule of the verdict is with the valuation, and older addresses have only an order. */
function columnsOf({ query, anchor }: typeof place.value): ColumnSetName {
  const chosen = query.get("columns");
  const isMeant = (one: ColumnSetName) =>
    chosen === null
      ? query.has(one) || (anchor === "verdict" && one === "valuation")
      : one === chosen;
  return SETS.find(isMeant) ?? "size";
}

/** The table of the sectors, or of the industries of one sector. */
function Classes(props: {
  readonly country: string;
  readonly sector: string | null;
  readonly name: string | null;
  readonly isLocal: boolean;
}) {
  const { country, sector, name, isLocal } = props;
  const call: Call<"get_sectors"> =
    sector === null
      ? { operation: "get_sectors", args: { country, ...(isLocal && { level: LOCAL }) } }
      : industriesCall(country, sector);
  const answer = useData(call);
  const local = isLocal ? LOCAL_CLASSES[country] : undefined;
  const set = columnsOf(place.value);
  const linkOf = ({ slug }: SectorRow) =>
    linkTo(sector === null ? { country, sector: slug } : { country, sector, industry: slug });
  return (
    <Panel
      title={
        sector === null
          ? t(local ?? "Sectors")
          : t("Industries of {sector}", { sector: name ?? sector })
      }
      calls={[call]}
      answer={answer.value}
      actions={
        <Tabs
          label="Columns"
          tabs={SETS}
          current={set}
          textOf={(one) => COLUMN_SETS[one].title}
          onChange={(columns) => setQuery({ columns })}
        />
      }
    >
      {set === "valuation" && <IndexLine country={country} data={answer.value?.data} />}
      <div class={sector === null ? "sector-frame" : "industry-frame"}>
        <Loaded of={answer} lines={sector === null ? SECTORS + 1 : 10}>
          {({ data }) => (
            <>
              <ClassTable
                data={data}
                of={sector === null ? (local ?? "Sector") : "Industry"}
                set={set}
                linkOf={linkOf}
              />
              {set === "valuation" && <VerdictRule />}
            </>
          )}
        </Loaded>
      </div>
    </Panel>
  );
}

/** Explains the verdict; the word beside the index's P/E links here. */
function VerdictRule() {
  useAnchor("verdict");
  return (
    <p class="muted" id="verdict">
      {t(
        "The P/E of the index is compared with its month ends of the last five years. The lowest and the highest 10% are left out. Within half a standard deviation of their mean it is Fair, within one Cheap or Expensive, beyond that Very cheap or Very expensive. With fewer than 12 month ends, there is no verdict.",
      )}
    </p>
  );
}

/** The P/E of the index, with which sectors are compared. */
function IndexLine(props: {
  readonly country: string;
  readonly data: PayloadOf<"get_sectors"> | undefined;
}) {
  const { country, data } = props;
  if (!data) return <p class="muted index-line" />;
  const { country_pe: pe, country_pe_5y_avg: average, country_index_name: index } = data;
  const status = data.country_valuation_status;
  return (
    <p class="muted index-line">
      {nameInLanguage({ country, symbol: INDICES[country] ?? "" }, index)}: {t("P/E")}{" "}
      {formatNumber(pe)}
      {status !== "insufficient_history" && (
        <>
          {" "}
          (<a href="#verdict">{verdictText(status, data.country_valuation_window)}</a>)
        </>
      )}
      , {t("5-year average {value}", { value: formatNumber(average) })}.{" "}
      {t("The dashed line is the P/E of the index.")}
    </p>
  );
}
