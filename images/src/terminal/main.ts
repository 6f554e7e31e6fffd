import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createPasswordGate } from '../runtime/password-gate.ts';
import { serve } from '../runtime/serve.ts';
import { type Environment, parsePort, requireValue, rootedPath, runtimeSettings } from '../runtime/settings.ts';
import { startShell } from './shell.ts';
import { createTerminal } from './terminal.ts';

/** What the shell gets of our environment. CONTAINER_ID is how the node finds what a container has left behind. */
const PASSED_ON = ['PATH', 'TMPDIR', 'HOSTNAME', 'CONTAINER_ID', 'TZ'];
const SCROLLBACK_CHARACTERS = 256 * 1024;

const environment: Environment = process.env;
const settings = runtimeSettings(environment);
const home = rootedPath(settings, environment.HOME_DIRECTORY || '/home/me');
const title = environment.TITLE || 'Terminal';
const program = ['/bin/bash', '/bin/sh'].find((path) => existsSync(path)) ?? 'sh';
if (environment.TMPDIR) mkdirSync(environment.TMPDIR, { recursive: true });

const passed = Object.fromEntries(PASSED_ON.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
const terminal = createTerminal({
  gate: createPasswordGate({
    password: requireValue('TERMINAL_PASSWORD', environment.TERMINAL_PASSWORD),
    title,
    clock: Date.now,
  }),
  title,
  assets: fileURLToPath(new URL('.', import.meta.url)),
  newShell: () =>
    startShell({
      program,
      directory: home,
      environment: { ...passed, HOME: home, SHELL: program, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
      scrollbackCharacters: SCROLLBACK_CHARACTERS,
    }),
});
serve(terminal.server, {
  name: 'terminal',
  port: parsePort('PORT', environment.PORT, 8080),
  settings,
  stopping: terminal.stop,
});
