import { classNameOf, LOCAL_CLASSES } from "#console/app/parts/class-name.ts";
import type { Vocabulary } from "#console/app/parts/metrics.tsx";
import { t, translate } from "#console/app/words.ts";
import { type Choice, choose } from "./choice.ts";

/** Chooses a sector or a class of the country's own classification, and an exchange. */
export function ClassFilters(props: { readonly choice: Choice; readonly vocabulary: Vocabulary }) {
  const { choice, vocabulary } = props;
  const { country, sector, exchange } = choice;
  const local = LOCAL_CLASSES[country];
  const { sectors, localSectors } = vocabulary;
  const exchanges = vocabulary.exchanges[country] ?? Object.values(vocabulary.exchanges).flat();
  const [chosenSector, others] = chosenOf(sector, [...sectors, ...(localSectors[country] ?? [])]);
  const [chosenExchange, otherExchanges] = chosenOf(exchange, exchanges);
  return (
    <>
      <select
        aria-label={t("Sector")}
        value={chosenSector}
        onChange={(event) => choose({ sector: event.currentTarget.value || null })}
      >
        <option value="">{t("All sectors")}</option>
        <Options values={others} nameOf={(value) => value.toUpperCase()} />
        {local && (
          <optgroup label={t(local)}>
            <Options values={localSectors[country] ?? []} nameOf={classNameOf} />
          </optgroup>
        )}
        <optgroup label={t("Sectors")}>
          <Options values={sectors} nameOf={classNameOf} />
        </optgroup>
      </select>
      <select
        aria-label={t("Exchange")}
        value={chosenExchange}
        onChange={(event) => choose({ exchange: event.currentTarget.value || null })}
      >
        <option value="">{t("All exchanges")}</option>
        <Options values={[...otherExchanges, ...exchanges]} nameOf={translate} />
      </select>
    </>
  );
}

/**
 * The option that the address asks for, in small or capital letters, and the options to add for it. The service also
 * reads codes, such as `JP:3700`, and names in three languages.
 */
function chosenOf(asked: string | null, values: readonly string[]): [string, readonly string[]] {
  if (asked === null) return ["", []];
  const known = values.find((value) => value.toLowerCase() === asked.toLowerCase());
  return known === undefined ? [asked, [asked]] : [known, []];
}

function Options(props: {
  readonly values: readonly string[];
  readonly nameOf: (value: string) => string;
}) {
  return (
    <>
      {props.values.map((value) => (
        <option key={value} value={value}>
          {props.nameOf(value)}
        </option>
      ))}
    </>
  );
}

/** The choice without an exchange and a class that another country does not have. */
export const withoutLocal = ({ sector }: Choice): Record<string, null> => ({
  exchange: null,
  ...(sector?.includes(":") === true && { sector: null }),
});
