import { guestbook } from './jobs/guestbook.ts';
import { keyValue } from './jobs/key-value.ts';
import { postgres } from './jobs/postgres.ts';
import { staticSite } from './jobs/static-site.ts';
import { terminal } from './jobs/terminal.ts';
import { whoami } from './jobs/whoami.ts';
import type { TemplateJob } from './template-job.ts';

/** By the template's name. */
export const JOBS: Record<string, TemplateJob> = {
  guestbook,
  'key-value': keyValue,
  postgres,
  'static-site': staticSite,
  terminal,
  whoami,
};
