import type { ParameterValue } from '@berth/core/parameter';
import type { Phase, UserDeploymentSpec, UserDeploymentStatus } from '@berth/core/user-deployment';

/** A row of `deployments`: what somebody wants (the server writes it) and what was seen (the observer writes it). */
export interface DeploymentRow {
  id: string;
  teamId: string;
  organizationId: string;
  name: string;
  displayName?: string;
  templateName?: string;
  templateVersion?: string;
  parameterValues: Record<string, ParameterValue>;
  spec: UserDeploymentSpec;
  desired: 'running' | 'stopped' | 'deleted';
  revision: number;
  host?: string;
  /** Hosts beside the main one. */
  aliases: string[];
  /** How many pods somebody asked for instead of what the template says, by service. */
  replicas: Record<string, number>;
  /** What runs stays as it is; changes wait. */
  paused: boolean;
  resourceUid?: string;
  observed?: UserDeploymentStatus;
  observedVersion?: string;
  phase: Phase;
  message?: string;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
}

/** With what the API tells beside the row. */
export interface DeploymentView extends DeploymentRow {
  namespace: string;
  secretKeys: string[];
  /** Of the outbox entry, while the cluster has not taken the newest revision. */
  applyAttempts?: number;
  applyError?: string;
}
