/** What got the focus last, and the elements around it; empty after a press of a pointer. */
let path: readonly HTMLElement[] = [];

/**
 * Keeps the focus near the place where it was: when its element is removed, such as the row of a revoked token,
 * what is around it gets the focus, and when its element was moved or disabled for a moment, it gets the focus
 * back. Browsers would begin at the top of the page.
 */
export function keepFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    path = [];
    for (let one = target; one instanceof HTMLElement; one = one.parentElement) {
      path = [...path, one];
    }
  });
  // The reader chooses a place. If it can have the focus, it gets it next, or has it already.
  document.addEventListener(
    "pointerdown",
    ({ target }) => {
      if (!path[0]?.contains(target as Node)) path = [];
    },
    true,
  );
  new MutationObserver(restore).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ["disabled"],
  });
}

function restore(): void {
  const [last] = path;
  if (!last || document.activeElement !== document.body) return;
  const next = last.isConnected
    ? last
    : (path.find((one) => one.isConnected && one.matches("[tabindex], dialog")) ??
      document.querySelector("main"));
  next?.focus({ preventScroll: true });
}
