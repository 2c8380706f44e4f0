import { useEffect, useState } from "preact/hooks";
import { outage, retryNow } from "#console/app/api.ts";
import { t } from "#console/app/words.ts";

/** Says that the service does not answer, counts down to the next attempt, and goes when it answers again. */
export function OutageBanner() {
  const lost = outage.value;
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (lost === null) return;
    setNow(performance.now());
    const clock = setInterval(() => setNow(performance.now()), 1_000);
    const timer = setTimeout(() => void retryNow(), lost.retryAt - performance.now());
    return () => {
      clearInterval(clock);
      clearTimeout(timer);
    };
  }, [lost]);
  if (lost === null) return null;
  const seconds = Math.max(1, Math.ceil((lost.retryAt - now) / 1_000));
  return (
    <div class="outage" role="alert">
      {t("The service does not answer. What you see is from before.")}{" "}
      <span aria-hidden="true">{t("Next attempt in {seconds} s.", { seconds })}</span>{" "}
      <button type="button" onClick={() => void retryNow()}>
        {t("Retry now")}
      </button>
    </div>
  );
}
