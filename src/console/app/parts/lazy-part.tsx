import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { outage, retryNow } from "#console/app/api.ts";
import { t } from "#console/app/words.ts";

/**
 * A part of a page whose code is loaded when it is first shown. Its place is kept free until then.
 *
 * @param isInvisible true for a part that draws nothing itself
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isInvisible = false,
): ComponentType<Props> {
  let Part: ComponentType<Props> | null = null;
  return function LazyPart(props: Props) {
    const [, setShown] = useState(false);
    // Code that could not be loaded is loaded when the service answers again.
    const isLost = outage.value !== null;
    useEffect(() => {
      if (Part) return;
      load().then(
        (loaded) => {
          Part = loaded;
          setShown(true);
        },
        () => void retryNow(),
      );
    }, [isLost]);
    if (Part) return <Part {...props} />;
    return isInvisible ? null : (
      <div class="loading tab-loading" role="status" aria-label={t("Loading")} />
    );
  };
}
