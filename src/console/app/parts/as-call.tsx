import { useEffect, useState } from "preact/hooks";
import type { Call } from "#console/app/api.ts";
import { t } from "#console/app/words.ts";
import type { CallTexts } from "./call-texts.tsx";
import { DialogButton } from "./dialog-button.tsx";

/** A button that shows the calls which give what is on screen, ready to copy. */
export function AsCall(props: {
  readonly title: string;
  readonly calls: readonly Call[];
  /** True for a button that has the title as its text, and shows the calls of MCP first. */
  readonly isForAgent?: boolean;
}) {
  const { title, calls, isForAgent = false } = props;
  const text = (
    <>
      {"</>"}
      <span class="wide-only"> {t("as a call")}</span>
    </>
  );
  return (
    <DialogButton
      text={isForAgent ? title : text}
      title={isForAgent ? title : `${title} ${t("as a call")}`}
      isWide
    >
      {() => <LazyTexts calls={calls} first={isForAgent ? "MCP" : "curl"} />}
    </DialogButton>
  );
}

/** The texts, whose code is loaded when somebody asks for them. */
function LazyTexts(props: Parameters<typeof CallTexts>[0]) {
  const [Texts, setTexts] = useState<typeof CallTexts | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    import("./call-texts.tsx").then(
      (loaded) => setTexts(() => loaded.CallTexts),
      () => setError(t("The calls could not be loaded. Check that the service is running.")),
    );
  }, []);
  return Texts ? <Texts {...props} /> : <p role="status">{error || t("Loading")}</p>;
}
