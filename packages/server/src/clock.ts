/** Wall-clock time, given in so that tests choose it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
