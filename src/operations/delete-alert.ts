import { Type } from "@sinclair/typebox";
import { AlertNameInput } from "./get-alerts.ts";
import { defineOperation, type OwnContext } from "./operation.ts";

/** Deletes a rule of the caller. */
export const deleteAlert = defineOperation({
  name: "delete_alert",
  set: "alerts",
  title: "Delete an alert",
  description: "Deletes an alert of the user. To silence it, use save_alert with paused.",
  path: "/data/alerts/{name}",
  input: Type.Object({ name: AlertNameInput }),
  method: "DELETE",
  own: true,
  right: "alerts:write",
  deletes: true,
  output: Type.Object({ deleted: Type.String({ description: "Its name: cheap-apple." }) }),
  async handle({ name }, context) {
    const deleted = await (context as OwnContext).own.remove("alert", name);
    return { data: { deleted }, from: [] };
  },
});
