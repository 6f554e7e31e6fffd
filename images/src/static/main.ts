import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { log } from '../runtime/log.ts';
import { serve } from '../runtime/serve.ts';
import { type Environment, parsePort, rootedPath, runtimeSettings } from '../runtime/settings.ts';
import { prepareSite } from './prepare-site.ts';
import { createStaticServer } from './static.ts';

const environment: Environment = process.env;
const settings = runtimeSettings(environment);
const source = rootedPath(settings, environment.SITE_ROOT || '/srv/site');
const root = join(tmpdir(), 'site');

const files = await prepareSite(source, root, environment.SITE_TITLE || 'A site');
log.info(`serving ${files.length} files: ${files.slice(0, 20).join(', ')}`);
serve(createStaticServer(root), { name: 'static', port: parsePort('PORT', environment.PORT, 8080), settings });
