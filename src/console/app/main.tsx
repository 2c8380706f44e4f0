import { render } from "preact";
import { startRouter } from "./router.ts";
import { startSession } from "./session.ts";
import { App } from "./shell.tsx";

startRouter();
const root = document.getElementById("app");
if (root) render(<App started={startSession()} />, root);
