import { guestbook } from './jobs/guestbook.ts';
import { keyValue } from './jobs/key-value.ts';
import { nodeApp } from './jobs/node-app.ts';
import { postgres } from './jobs/postgres.ts';
import { shop } from './jobs/shop.ts';
import { staticSite } from './jobs/static-site.ts';
import { terminal } from './jobs/terminal.ts';
import { uptime } from './jobs/uptime.ts';
import { whoami } from './jobs/whoami.ts';
import type { TemplateJob } from './template-job.ts';

/** By the template's name. */
export const JOBS: Record<string, TemplateJob> = {
  guestbook,
  'key-value': keyValue,
  'node-app': nodeApp,
  postgres,
  shop,
  'static-site': staticSite,
  terminal,
  uptime,
  whoami,
};
