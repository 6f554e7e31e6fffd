import type { Revision, RevisionChange, RevisionDetail } from '@berth/core/deployment';
import { ago } from './fixtures.ts';

const template = (version: string) => ({ name: 'three-tier-shop', version });

/** A history with every outcome: what failed, what serves, what a program wrote, what was replaced before it was known. */
export function aLongHistory(): Revision[] {
  const base = { current: false, serving: false } as const;
  return [
    {
      ...base,
      revision: 13,
      summary: 'version 1.13.0, api settings changed',
      by: 'dev@localhost',
      createdAt: ago(6),
      template: template('1.13.0'),
      outcome: 'failed',
      message: 'The readiness probe of api (GET /healthz) answered 500 for 90 s.',
      current: true,
    },
    {
      ...base,
      revision: 12,
      summary: 'web scaled to 2',
      by: 'dev@localhost',
      createdAt: ago(60 * 24 * 3),
      template: template('1.12.2'),
      outcome: 'running',
      serving: true,
    },
    {
      ...base,
      revision: 11,
      summary: 'greeting, banner changed',
      by: 'kubectl-edit',
      createdAt: ago(60 * 24 * 9),
      template: template('1.12.2'),
      outcome: 'running',
    },
    {
      ...base,
      revision: 10,
      summary: 'greeting changed',
      by: 'second@example.com',
      createdAt: ago(60 * 24 * 9 + 1),
      template: template('1.12.2'),
      outcome: 'replaced',
    },
    {
      ...base,
      revision: 9,
      summary: 'version 1.12.2',
      by: 'argocd-controller',
      createdAt: ago(60 * 24 * 21),
      template: template('1.12.2'),
      outcome: 'running',
    },
    {
      ...base,
      revision: 1,
      summary: 'deployed from Three-tier shop 1.0.0',
      by: 'dev@localhost',
      createdAt: ago(60 * 24 * 120),
      template: template('1.0.0'),
      outcome: 'running',
    },
  ];
}

const NGINX = [
  'server {',
  '  listen 8080;',
  '  location / {',
  '    proxy_pass http://api;',
  '    proxy_read_timeout 30s;',
  '  }',
  '  location /static {',
  '    root /srv;',
  '    expires 1h;',
  '  }',
  '  access_log /dev/stdout;',
  '}',
].join('\n');

/** Every kind of difference: short, added, removed, long, of many lines. */
export function someChanges(): RevisionChange[] {
  return [
    { subject: 'Deployment', field: 'template version', before: '1.12.2', after: '1.13.0' },
    { subject: 'Values', field: 'Title', before: 'The shop', after: 'The new shop' },
    { subject: 'Values', field: 'Banner', after: 'Free shipping until Sunday' },
    { subject: 'api', field: 'image', before: 'shop/api:1.12.2', after: 'shop/api:1.13.0' },
    { subject: 'api', field: 'environment DATABASE_USER', before: 'shop', after: 'shop_app' },
    { subject: 'api', field: 'environment LEGACY_MODE', before: 'true' },
    {
      subject: 'api',
      field: 'environment ALLOWED_ORIGINS',
      before: 'https://shop.example.com',
      after: Array.from({ length: 14 }, (_, n) => `https://region-${n + 1}.shop.example.com`).join(','),
    },
    { subject: 'api', field: 'readiness probe', before: 'GET /health every 10 s', after: 'GET /healthz every 5 s' },
    {
      subject: 'web',
      field: 'file /etc/nginx/conf.d/default.conf',
      before: NGINX,
      after: NGINX.replace('30s', '60s').replace('  access_log', '  gzip on;\n  access_log'),
    },
    { subject: 'database', field: 'memory limit', before: '512Mi', after: '1Gi' },
    { subject: 'Job migrate', field: 'image', before: 'shop/migrate:1.12.2', after: 'shop/migrate:1.13.0' },
  ];
}

export function aRevisionDetail(
  all: readonly Revision[],
  revision: number,
  against?: number,
): RevisionDetail | undefined {
  const at = all.findIndex((each) => each.revision === revision);
  const found = all[at];
  if (!found) return undefined;
  const other = against ?? all[at + 1]?.revision;
  const small: RevisionChange[] = [{ subject: 'Values', field: 'Title', before: 'The shop', after: 'Our shop' }];
  const changes = other === undefined ? [] : revision === 13 ? someChanges() : other === 13 ? reversed() : small;
  return { ...found, ...(other !== undefined && { against: other }), changes, values: { title: 'The shop' } };
}

function reversed(): RevisionChange[] {
  return someChanges().map(({ before, after, ...rest }) => ({
    ...rest,
    ...(after !== undefined && { before: after }),
    ...(before !== undefined && { after: before }),
  }));
}
