/** The names of rates that a central bank decides. */
export const POLICY_RATE = /^fed funds target|\bpolicy rate$|^refinancing rate$/i;

/** True if each figure of a series holds until the next one: a sloped line would show values that never were. */
export const isPolicyRate = (name: string): boolean => POLICY_RATE.test(name);
