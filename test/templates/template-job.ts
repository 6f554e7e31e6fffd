import type { GitServer } from '../support/git-server.ts';
import type { App } from './app.ts';

/** What stands outside of Berth while the templates are tried. */
export interface World {
  git: GitServer;
}

/** What a template is for, done through its public host. */
export interface TemplateJob {
  /** What has no default. */
  values?: (world: World) => Record<string, string | number | boolean>;
  /** Once it runs for the first time. */
  use(app: App, world: World): Promise<void>;
  /** After a restart: it does the same again, and has what it was given before. */
  useAgain(app: App, world: World): Promise<void>;
}
