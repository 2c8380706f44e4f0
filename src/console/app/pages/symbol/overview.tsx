import { nameInLanguage } from "#console/app/company-names.tsx";
import { translate, translateTerm } from "#console/app/words.ts";
import type { AnswerOf, Resource } from "#console/app/api.ts";
import { formatLabel, formatNumber, formatText, MISSING } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { Figures } from "#console/app/parts/figures.tsx";
import { meaningOf } from "#console/app/parts/metric-meaning.ts";
import { useVocabulary } from "#console/app/parts/metrics.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import type { Subject } from "#console/app/parts/subject.ts";
import type { PayloadOf } from "#operations/index.ts";
import { summaryText } from "./summary.ts";

type Labels = Readonly<Record<string, string>>;

type Overview = PayloadOf<"get_stock_overview">;

interface OverviewProps {
  readonly subject: Subject;
  readonly overview: Resource<AnswerOf<"get_stock_overview">>;
}

const callsOf = (args: Subject) => [{ operation: "get_stock_overview", args }];

/** The labels that the head of the page shows. */
const IN_HEAD: readonly string[] = [
  "Name",
  "Local name",
  "Price",
  "Price date",
  "Chg %",
  "Delisted",
  "Reference price",
  "Ceiling price",
  "Floor price",
] satisfies (keyof Overview["overview"])[];

/** The labels of the valuation that the overview has too. */
const IN_OVERVIEW: readonly string[] = ["Mkt cap", "P/E"] satisfies (keyof Overview["overview"] &
  keyof Overview["valuation"])[];

/** Overview and valuation. Of an instrument that is no company, only the known figures. */
export function FiguresPanels(props: OverviewProps & { readonly isCompany: boolean }) {
  const { subject, overview, isCompany } = props;
  const list = (labels: Labels | undefined) =>
    Object.entries(labels ?? {}).filter(
      ([label, text]) => !IN_HEAD.includes(label) && (isCompany || text !== MISSING),
    );
  const figures = list(overview.value?.data.overview);
  const valuation = list(overview.value?.data.valuation).filter(
    ([label]) => !IN_OVERVIEW.includes(label),
  );
  const metrics = [...(useVocabulary().value?.metrics.values() ?? [])];
  const meaningOfTitle = (title: string) => {
    const metric = metrics.find((one) => one.title === title);
    return metric && meaningOf(metric);
  };
  if (overview.value && figures.length + valuation.length === 0) return null;
  return (
    <Panel
      title="Overview and valuation"
      class="figures-wide"
      calls={callsOf(subject)}
      answer={overview.value}
    >
      <Loaded of={overview} lines={15}>
        {() => (
          <Figures
            rows={[...figures, ...valuation].map(([label, text]) => [
              translate(formatLabel(label)),
              /^[+-].*%$/.test(text) ? (
                <Change value={text} isGrowth={/growth/i.test(label)} />
              ) : (
                translate(formatText(text))
              ),
              meaningOfTitle(formatLabel(label)),
            ])}
          />
        )}
      </Loaded>
    </Panel>
  );
}

/** What the company does. */
export function BusinessPanel({ subject, overview }: OverviewProps) {
  return (
    <Panel title="Profile" class="figures-wide" calls={callsOf(subject)} answer={overview.value}>
      <Loaded of={overview} lines={4}>
        {({ data: { business_model: business, listing } }) => (
          <>
            <p>{summaryText(business.business_summary, (name) => nameInLanguage(subject, name))}</p>
            <Figures
              rows={rowsOf(business, listing, subject.country).filter(
                ([, text]) => text !== MISSING,
              )}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const rowsOf = (
  { sector, industry, employees }: Overview["business_model"],
  { local_sector: local = MISSING }: Overview["listing"],
  country: string,
) =>
  [
    ["Sector", translate(sector)],
    ["Industry", translateTerm(industry)],
    [
      country === "JP" ? "TSE 33 sectors" : "ICB supersector",
      translateTerm(`${country} ${local}`).replace(`${country} `, ""),
    ],
    ["Employees", formatNumber(employees, 0)],
  ] as const;
