import { fileURLToPath } from 'node:url';
import { log, messageOf } from '../runtime/log.ts';
import { createPasswordGate } from '../runtime/password-gate.ts';
import { serve } from '../runtime/serve.ts';
import {
  type Environment,
  listenTarget,
  parseChoice,
  parsePort,
  requireValue,
  rootedPath,
  runtimeSettings,
} from '../runtime/settings.ts';
import { type AppendLog, FSYNC_POLICIES, openAppendLog } from './append-log.ts';
import { createConsole } from './console.ts';
import { createEngine } from './engine.ts';
import { createKvServer } from './kv-server.ts';

const SWEEP_MILLISECONDS = 1000;
const environment: Environment = process.env;
const settings = runtimeSettings(environment);
const password = requireValue('KV_PASSWORD', environment.KV_PASSWORD);
const maxMemory = Number(environment.MAX_MEMORY_MIB || 192) * 1024 * 1024;
const startedAt = Date.now();

let appendLog: AppendLog | undefined;
let usedMemory = 0;
const engine = createEngine({
  clock: Date.now,
  onChange: (commands) => appendLog?.append(commands),
  isFull: () => usedMemory > maxMemory,
});
const opened = await openAppendLog({
  file: `${rootedPath(settings, environment.KV_DIRECTORY || '/data')}/appendonly.aof`,
  policy: parseChoice('FSYNC', environment.FSYNC, FSYNC_POLICIES),
  replay: engine.replay,
  snapshot: engine.snapshot,
  onFailure(error) {
    // What is not kept must not be answered: the next start has all that was.
    log.error(`the log cannot be written: ${messageOf(error)}`);
    process.exit(1);
  },
});
appendLog = opened;
log.info(`${engine.store.size()} keys from ${opened.size()} bytes of log`);

setInterval(() => {
  const { heapUsed, external } = process.memoryUsage();
  usedMemory = heapUsed + external;
  engine.sweep();
}, SWEEP_MILLISECONDS).unref();

const info = (): Record<string, string | number> => ({
  redis_version: '7.0.0',
  server_name: 'berth-kv',
  redis_mode: 'standalone',
  role: 'master',
  loading: 0,
  uptime_in_seconds: Math.round((Date.now() - startedAt) / 1000),
  connected_clients: kv.connections(),
  used_memory: usedMemory,
  maxmemory: maxMemory,
  aof_current_size: opened.size(),
  keys: engine.store.size(),
});
const kv = createKvServer({ engine, appendLog: opened, password, info });
const port = parsePort('KV_PORT', environment.KV_PORT, 6379);
const target = listenTarget(settings, port);
kv.server.on('error', (error) => {
  log.error(`kv cannot listen on ${target.host}:${target.port}: ${error.message}`);
  process.exit(1);
});
kv.server.listen(target.port, target.host, () => log.info(`kv listens on ${target.host}:${target.port}`));

const gate = createPasswordGate({ password, title: 'Key-value store', clock: Date.now });
const web = createConsole({
  engine,
  appendLog: opened,
  gate,
  info,
  connection: { host: environment.KV_HOST || 'kv', port },
  script: fileURLToPath(new URL('./browser.js', import.meta.url)),
});
serve(web, {
  name: 'kv console',
  port: parsePort('PORT', environment.PORT, 8080),
  settings,
  stopping: () => kv.stop(),
  close: () => opened.close(),
});
