/** Every address of the app in one place. */
export const paths = {
  signIn: (next?: string) => (next && next !== '/' ? `/sign-in?next=${encodeURIComponent(next)}` : '/sign-in'),
  dashboard: (teamId: string) => `/teams/${teamId}`,
  deployments: (teamId: string) => `/teams/${teamId}/deployments`,
  deployment: (teamId: string, name: string, tab?: DeploymentTab) =>
    `/teams/${teamId}/deployments/${name}${tab && tab !== 'overview' ? `/${tab}` : ''}`,
  logs: (teamId: string, name: string, service: string) =>
    `/teams/${teamId}/deployments/${name}/logs?service=${encodeURIComponent(service)}`,
  shell: (teamId: string, name: string, service: string) =>
    `/teams/${teamId}/deployments/${name}/shell?service=${encodeURIComponent(service)}`,
  /** One revision, against the one before it or another. */
  revision: (teamId: string, name: string, revision: number, against?: number) =>
    `/teams/${teamId}/deployments/${name}/history/${revision}${against === undefined ? '' : `?against=${against}`}`,
  /** A dialog of a deployment over its overview. */
  dialog: (teamId: string, name: string, dialog: string, more: Record<string, string> = {}) =>
    `/teams/${teamId}/deployments/${name}?${new URLSearchParams({ do: dialog, ...more })}`,
  deleteDeployment: (teamId: string, name: string) => `/teams/${teamId}/deployments/${name}/delete`,
  catalogue: (teamId: string) => `/teams/${teamId}/catalogue`,
  deploy: (teamId: string, template: string) => `/teams/${teamId}/catalogue/${template}`,
  newTemplate: (teamId: string, from?: string) =>
    `/teams/${teamId}/new-template${from === undefined ? '' : `?from=${from}`}`,
  /** Where a template is written. */
  template: (teamId: string, template: string) => `/teams/${teamId}/templates/${template}`,
  templateVersions: (teamId: string, template: string) => `/teams/${teamId}/templates/${template}/versions`,
  members: (teamId: string) => `/teams/${teamId}/members`,
  usage: (teamId: string) => `/teams/${teamId}/usage`,
  audit: (teamId: string) => `/teams/${teamId}/audit`,
  account: (teamId: string) => `/teams/${teamId}/account`,
} as const;

export const DEPLOYMENT_TABS = ['overview', 'logs', 'metrics', 'shell', 'secrets', 'history', 'settings'] as const;
export type DeploymentTab = (typeof DEPLOYMENT_TABS)[number];
