import { Type } from "@sinclair/typebox";
import { TableOutput } from "#domain/schema.ts";
import { rateNeeds } from "#rollups/currency-rates.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { countryNeeds, symbolListNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";
import { ClaimsInput, isCountry, parseClaims } from "./reading/claims.ts";

export const checkFigures = defineOperation({
  name: "check_figures",
  set: "company",
  title: "Check of figures",
  description:
    "Checks figures that you or a text state: each is confirmed, differs (with the right value, its date and how far), or unknown (and why). Call it before you give figures to a person. Without on, the newest figure is meant. To get figures use compare_stocks.",
  path: "/data/figures/check",
  notRewound: [...COMPANY_FACTS, "names of series"],
  input: Type.Object({ claims: ClaimsInput }),
  output: Type.Object({
    confirmed: Type.Integer({ description: "Number of confirmed claims." }),
    differs: Type.Integer({ description: "Number of claims that differ." }),
    unknown: Type.Integer({ description: "Number of claims that cannot be judged." }),
    ...TableOutput,
    columns: {
      ...TableOutput.columns,
      description:
        "A row for each claim in its order. A claim is right within half of its last digit. value is the right figure, in the claim's currency if it names one; on is its date or period; off_percent is how far the claim is from it. note says how the claim was read, what it would be right for, or why it is unknown.",
    },
    definitions: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "What the metrics mean whose claims differ.",
      }),
    ),
  }),
  table: ({ columns, rows }) => ({ columns, rows }),
  needs: ({ claims }) => {
    const subjects = parseClaims(claims).map(({ subject }) => subject);
    const symbols = [...new Set(subjects.filter((one) => one !== "" && !isCountry(one)))];
    const countries = [...new Set(subjects.filter(isCountry))];
    return [
      ...(symbols.length === 0
        ? []
        : symbolListNeeds(symbols.join(","), [
            "quotes",
            "bars",
            "statements",
            "dividends",
            "analystCoverage",
          ])),
      ...countries.flatMap((country) => countryNeeds(["macroSeries"], country)),
      ...rateNeeds(),
    ];
  },
  async handle({ claims }, context) {
    const { checkClaims } = await import("./figures/claim-check.ts");
    return checkClaims(claims, context);
  },
});
