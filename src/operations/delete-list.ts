import { Type } from "@sinclair/typebox";
import { ListNameInput } from "./get-lists.ts";
import { defineOperation, type OwnContext } from "./operation.ts";

/** Deletes a list of the caller. */
export const deleteList = defineOperation({
  name: "delete_list",
  set: "lists",
  title: "Delete a list",
  description: "Deletes a list of the user. To change it, use save_list instead.",
  path: "/data/lists/{name}",
  input: Type.Object({ name: ListNameInput }),
  method: "DELETE",
  own: true,
  right: "lists:write",
  deletes: true,
  output: Type.Object({ deleted: Type.String({ description: "Name of the list: semis." }) }),
  async handle({ name }, context) {
    const deleted = await (context as OwnContext).own.remove("list", name);
    return { data: { deleted }, from: [] };
  },
});
