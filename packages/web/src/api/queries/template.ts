import type { TemplateDetail } from '@berth/core/routes/template-routes';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../client.ts';

/** What ships with Berth, and what the team wrote. */
export const templatesQuery = (team: string) =>
  queryOptions({
    queryKey: ['templates', team],
    queryFn: async ({ signal }) => (await call('listTemplates', { query: { team }, signal })).items,
    staleTime: 5 * 60_000,
  });

export const templateQuery = (team: string, name: string, version?: string) =>
  queryOptions({
    queryKey: ['template', team, name, version],
    queryFn: ({ signal }) => call('getTemplate', { params: { name }, query: { team, version }, signal }),
    staleTime: 5 * 60_000,
  });

/** As it was written; the newest when no version is named. */
export const templateSourceQuery = (team: string, name: string, version?: string) =>
  queryOptions({
    queryKey: ['template-source', team, name, version],
    queryFn: ({ signal }) => call('getTemplateSource', { params: { name }, query: { team, version }, signal }),
    staleTime: 5 * 60_000,
  });

export async function saveTemplate(client: QueryClient, team: string, source: string): Promise<TemplateDetail> {
  const saved = await call('saveTemplate', { body: { team, source } });
  await forgetTemplates(client, team);
  return saved;
}

export async function forgetTemplates(client: QueryClient, team: string): Promise<void> {
  await Promise.all(
    ['templates', 'template', 'template-source'].map((kind) => client.invalidateQueries({ queryKey: [kind, team] })),
  );
}
