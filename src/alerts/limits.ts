/** The deliveries that a user gets in a minute and in 24 hours. More of them wait. */
export const DELIVERIES = { perMinute: 10, perDay: 200 } as const;

/** The messages of a rule in 24 hours after which it is paused. */
export const MESSAGES_OF_RULE = 50;
