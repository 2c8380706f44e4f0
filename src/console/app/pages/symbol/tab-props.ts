import type { AnswerOf, Resource } from "#console/app/api.ts";
import type { Subject } from "#console/app/parts/subject.ts";

/** What a part of the page gets. */
export interface TabProps {
  readonly subject: Subject;
  readonly overview: Resource<AnswerOf<"get_stock_overview">>;
  readonly figures: Resource<AnswerOf<"compare_stocks">>;
  /** Null until it is known: then only what every instrument has is shown, so that nothing moves. */
  readonly isCompany: boolean | null;
}
