import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runCli } from '../cli.ts';
import type { CliContext } from '../context.ts';
import { saveProfile } from '../profile.ts';
import { type FixtureHandlers, fixtureFetch } from './fixture-server.ts';
import { me, NOW, otherTeam, team } from './samples.ts';

export interface Scene {
  /** Plain pages beside the API, such as /readyz. */
  pages?: Record<string, string>;
  openSocket?: CliContext['openSocket'];
  signal?: AbortSignal;
  onOutput?: (text: string) => void;
  handlers?: FixtureHandlers;
  signedIn?: boolean;
  environment?: Record<string, string>;
  /** At a terminal, what is typed in answer to each question; without, what standard input holds. */
  answers?: readonly string[];
  standardInput?: string | Buffer;
  /** Where the configuration is kept, to look at it afterwards. */
  configDirectory?: string;
  /** Waits end at once when true, and never otherwise. */
  timePasses?: boolean;
}

export interface SceneResult {
  exitCode: number;
  output: string;
  notes: string;
  /** All of it as a person would see it, for a golden file. */
  transcript: string;
  served: { mode: string; parameters: readonly string[] }[];
}

export const FIXTURE_URL = 'http://localhost:7400';

/** One command in process: its own folder, a fixed clock, a server that is a few functions. */
export async function runScene(parameters: readonly string[], scene: Scene = {}): Promise<SceneResult> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-cli-'));
  const result: SceneResult = {
    exitCode: 0,
    output: '',
    notes: '',
    transcript: `$ berth ${parameters.join(' ')}\n`,
    served: [],
  };
  const answers = [...(scene.answers ?? [])];
  const ask = async (question: string): Promise<string> => {
    result.transcript += `${question}\n`;
    return answers.shift() ?? '';
  };
  const context: CliContext = {
    environment: scene.environment ?? {},
    currentDirectory: folder,
    configDirectory: scene.configDirectory ?? join(folder, 'config'),
    hostname: 'laptop',
    version: '1.2.3',
    nodeVersion: '20.20.0',
    resolve: async () => ['127.0.0.1'],
    isRunning: () => true,
    fetch: withPages(
      scene.pages ?? {},
      fixtureFetch({ getMe: () => me, listTeams: () => ({ items: [team, otherTeam] }), ...scene.handlers }),
    ),
    now: () => NOW,
    wait: (_milliseconds, signal) =>
      scene.timePasses
        ? Promise.resolve()
        : new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
    newId: () => 'id-1',
    random: () => 0.5,
    output: {
      write(text) {
        result.output += text;
        scene.onOutput?.(text);
        result.transcript += text;
      },
      note(text) {
        result.notes += text;
        result.transcript += text.replace(/^(?=.)/gm, '! ');
      },
      colours: false,
    },
    input: {
      isTerminal: scene.answers !== undefined,
      ask,
      askHidden: ask,
      readAll: async () => Buffer.from(scene.standardInput ?? ''),
    },
    terminal: {
      input: Readable.from([Buffer.from(scene.standardInput ?? '')]),
      writeBytes(bytes, to) {
        const text = Buffer.from(bytes).toString('utf8');
        if (to === 'output') context.output.write(text);
        else context.output.note(text);
      },
      setRaw: () => undefined,
      size: () => ({ columns: 80, rows: 24 }),
      onResize: () => () => undefined,
    },
    openSocket:
      scene.openSocket ??
      (() => {
        throw new Error('this scene has no sockets');
      }),
    openInBrowser: async () => undefined,
    async runServer(mode, given) {
      result.served.push({ mode, parameters: given });
    },
    signal: scene.signal ?? new AbortController().signal,
  };
  if (scene.signedIn !== false)
    saveProfile(context, { url: FIXTURE_URL, token: 'berth_token', tokenId: 'k000000000000001' });
  try {
    result.exitCode = await runCli(parameters, context);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  result.transcript += `exit code ${result.exitCode}\n`;
  return result;
}

function withPages(pages: Record<string, string>, next: typeof fetch): typeof fetch {
  return async (input, init) => {
    const text = pages[new URL(String(input)).pathname];
    return text === undefined ? next(input, init) : new Response(text, { headers: { date: NOW.toUTCString() } });
  };
}
