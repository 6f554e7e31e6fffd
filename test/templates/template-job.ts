import type { App } from './app.ts';

/** What a template is for, done through its public host. */
export interface TemplateJob {
  /** What has no default. */
  values?: Record<string, string | number | boolean>;
  /** Once it runs for the first time. */
  use(app: App): Promise<void>;
  /** After a restart: it does the same again, and has what it was given before. */
  useAgain(app: App): Promise<void>;
}
