import { useEffect, useState } from "preact/hooks";
import { type Shown, t } from "#console/app/words.ts";
import type { CallTexts } from "./call-texts.tsx";
import { DialogButton } from "./dialog-button.tsx";

/** A button that opens what belongs to a part of a page: its source, files, and the calls that give it. */
export function MoreButton(
  props: Parameters<typeof CallTexts>[0] & {
    /** The part of the page. */
    readonly title: Shown;
    /** The content of the button, which is then the heading and the page's main action too. */
    readonly text?: Shown;
  },
) {
  const { title, text, ...content } = props;
  return (
    <DialogButton
      text={text ?? "⋯"}
      title={text ?? t("{title}: code, files, source", { title })}
      isPrimary={text !== undefined}
      isWide
    >
      {() => <LazyTexts {...content} />}
    </DialogButton>
  );
}

/** The content, whose code is loaded when the dialog opens. */
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
