/**
 * Why a figure is null or a list is empty: each reason with one sentence. The list is closed. A reason is given only
 * if the store or a rule proves it; otherwise it is `not_known`.
 */
export const REASONS = {
  not_listed_then:
    "Its stored prices begin later: it was not listed then, or its source has no older prices.",
  no_session: "The exchange was closed: a weekend or a holiday.",
  suspended:
    "The exchange was open, but no trade is stored: it was suspended, or no share was traded.",
  delisted: "It is no longer listed.",
  not_fetched_yet:
    "The service has not fetched it yet. It fetches what calls need: call again in a minute.",
  refused_by_source: "Its source refused or failed.",
  not_published: "No source that is in use publishes it for this country or instrument.",
  not_stored: "No record of it is stored for that day, and no source was asked for it.",
  not_released: "It is not released yet.",
  not_meaningful:
    "It has no meaning here: the divisor or the base is zero or negative, such as a loss.",
  not_applicable: "Instruments of this kind do not have it.",
  not_in_statements: "The stored statements lack a line or a period that it needs.",
  contradicted: "Another figure contradicts it, so it is not shown.",
  beyond_horizon: "It is after the last known date.",
  too_few: "There are too few values for it.",
  no_rate: "No exchange rate of that day is stored.",
  none: "There is none.",
  no_match: "Nothing meets the conditions of the call.",
  not_asked: "The call does not ask for it, or does not give what it needs.",
  not_known: "No stored record has it, and the reason is not known.",
} as const;

/** One of the keys of `REASONS`. */
export type Reason = keyof typeof REASONS;
