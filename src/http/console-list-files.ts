import { invalidArgument } from "#domain/errors.ts";
import {
  LIST_CHOICE_NAMES,
  LIST_CHOICES,
  type ListAnswers,
  MAX_LIST_FILE_BYTES,
} from "#domain/list-file.ts";
import { LIST_FORMATS, writeList } from "#feeds/list-files.ts";
import { NOT_STORED } from "./console-answers.ts";
import { endpoint } from "./console-endpoint.ts";
import { readBody } from "./request-body.ts";

/** The endpoints of files that become lists, and of lists as files. */
export const LIST_FILE_ENDPOINTS = [
  endpoint({
    route: "POST list-preview",
    role: "user",
    /** The body is the file. What it becomes is saved by `PUT lists/:name`. */
    handle: async ({ parts, visit }) =>
      parts.readList({
        name: visit.query.get("file") ?? "",
        answers: Object.fromEntries(
          LIST_CHOICE_NAMES.map((name) => [name, choiceOf(visit.query, name, LIST_CHOICES[name])]),
        ) as ListAnswers,
        bytes: await readBody(visit.request, MAX_LIST_FILE_BYTES),
        client: visit.request,
      }),
  }),
  endpoint({
    route: "GET lists/:name/file",
    role: "user",
    async handle({ parts, visit, session, actor, param }) {
      const format = choiceOf(visit.query, "format", LIST_FORMATS) ?? "csv";
      const { value } = await parts.userDataOf(session.user, actor).get("list", param("name"));
      const extension = format === "tradingview" ? "txt" : "csv";
      return new Response(writeList(format, parts.describeItems(value.items)).text, {
        headers: {
          ...NOT_STORED,
          "Content-Type": `text/${extension === "csv" ? "csv" : "plain"}; charset=utf-8`,
          "Content-Disposition": `attachment; filename="${value.name}.${extension}"`,
        },
      });
    },
  }),
] as const;

/** One of the choices in the query of a URL; undefined if it is left out. @throws BourseError `invalid_argument` */
function choiceOf<T extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = query.get(name);
  const found = choices.find((one) => one === text);
  if (text === null || found !== undefined) return found;
  throw invalidArgument(`${name} must be one of ${choices.join(", ")}.`, { param: name });
}
