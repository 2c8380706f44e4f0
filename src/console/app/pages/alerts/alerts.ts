import { request } from "#console/app/api.ts";
import type { AnswerTo, BodyOf } from "#http/console-api.ts";

/** The alerts and channels of the user. */
export type Alerts = AnswerTo<"GET alerts">;

/** An alert with what is known of it. */
export type Alert = Alerts["alerts"][number];

/** Makes an alert, or changes the given fields of one. @throws ApiError */
export const saveAlert = (name: string, body: BodyOf<"PUT alerts/:name">) =>
  request("PUT alerts/:name", { param: name, body });
