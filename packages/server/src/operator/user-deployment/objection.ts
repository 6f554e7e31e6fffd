/** Why something is not done now. The same words decide and are shown, so that behaviour and status cannot disagree. */
export interface Objection {
  /** CamelCase, for the condition. */
  reason: string;
  /** For people: what is wrong and what to do. */
  message: string;
  holds: Hold;
  /** No event announces that the cause is gone: look again after this time. */
  retryAfterMs?: number;
}

/** What an objection holds back; what stands already stays as it is. */
export type Hold =
  | { what: 'everything' }
  /** All objects of one service. */
  | { what: 'service'; service: string }
  /** The Deployment of one service: nothing new starts, nothing that runs is replaced. */
  | { what: 'pods'; service: string }
  | { what: 'route' }
  /** Only said. */
  | { what: 'nothing'; service?: string };
