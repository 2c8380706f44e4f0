import type { TargetedSubmitEvent } from "preact";

/** A form that the user sends. */
export type FormEvent = TargetedSubmitEvent<HTMLFormElement>;

/** The fields of a form, which the browser does not send itself. */
export function readForm(event: FormEvent): FormData {
  event.preventDefault();
  return new FormData(event.currentTarget);
}

/** Empties a field for the next entry. What was chosen in other fields stays: the next one is often alike. */
export function clearField(form: HTMLFormElement, name: string): void {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement) field.value = "";
}

/** The text of a form's field; empty if the form has no such field. */
export function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}
