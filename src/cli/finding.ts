/** What a check of `doctor` found, in one sentence, with what to do if it is not `ok`. */
export interface Finding {
  readonly check: string;
  readonly level: "ok" | "warning" | "failed";
  readonly text: string;
}

/** A check that found nothing to do. */
export const ok = (check: string, text: string): Finding => ({ check, level: "ok", text });
/** A check that found what needs attention. */
export const warning = (check: string, text: string): Finding => ({
  check,
  level: "warning",
  text,
});
/** A check that found what must be repaired. */
export const failed = (check: string, text: string): Finding => ({ check, level: "failed", text });
