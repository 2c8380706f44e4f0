import "./common.ts";
import { render } from "preact";
import { followChanges } from "./changes.ts";
import { followNames } from "./company-names.tsx";
import { keepFocus } from "./focus.ts";
import { startRouter } from "./router.ts";
import { canonicalPath } from "./routes.ts";
import { startSession } from "./session.ts";
import { applySettings } from "./user-settings.ts";
import { App } from "./shell.tsx";

startRouter(canonicalPath);
followChanges();
applySettings();
followNames();
keepFocus();
const root = document.getElementById("app");
if (root) render(<App started={startSession()} />, root);
