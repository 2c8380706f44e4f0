import { LIST_CHOICES, type ListChoice } from "#domain/list-file.ts";
import { type DecimalMark, detectDecimalMark, type NumberCell } from "#imports/numbers.ts";
import { CsvError } from "#lib/csv.ts";

/** A file can be read in several ways, and the shares depend on it, so a person must decide. */
export class OpenChoice extends CsvError {
  readonly choice: ListChoice;
  readonly allowed: readonly string[];

  constructor(
    line: number,
    question: string,
    choice: ListChoice,
    allowed: readonly string[] = LIST_CHOICES[choice],
  ) {
    const flags = allowed.map((one) => `--${choice} ${one}`).join(" or ");
    super(line, `${question}: give ${flags}`);
    this.choice = choice;
    this.allowed = allowed;
  }
}

/**
 * The decimal mark of a file's quantities and amounts.
 *
 * @throws OpenChoice if cells contradict each other, or if `1.234` may be either
 */
export function listDecimalMark(cells: Iterable<NumberCell>, delimiter: string): DecimalMark {
  try {
    return detectDecimalMark(cells, delimiter);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const [question = ""] = error.message.split(": give --");
    throw new OpenChoice(error.line, question, "decimal");
  }
}
