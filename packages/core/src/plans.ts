import { z } from 'zod';

/** One table of plans that code, API, SPA and docs read. `undefined` means no limit. */
export const PLAN_NAMES = ['free', 'business', 'enterprise'] as const;
export const planNameSchema = z.enum(PLAN_NAMES);
export type PlanName = z.infer<typeof planNameSchema>;

export interface Plan {
  displayName: string;
  /** Deployments of an organization, stopped ones included. */
  deployments: number | undefined;
  /** Members of a team. */
  members: number | undefined;
  /** What the pods of one team may request in total: cores, bytes, bytes. Becomes the namespace's ResourceQuota. */
  cpu: string | undefined;
  memory: string | undefined;
  storage: string | undefined;
}

export const PLANS: Record<PlanName, Plan> = {
  free: { displayName: 'Free', deployments: 3, members: 1, cpu: '2', memory: '2Gi', storage: '5Gi' },
  business: { displayName: 'Business', deployments: 25, members: 10, cpu: '16', memory: '64Gi', storage: '500Gi' },
  enterprise: {
    displayName: 'Enterprise',
    deployments: undefined,
    members: undefined,
    cpu: undefined,
    memory: undefined,
    storage: undefined,
  },
};
