import { BerthError } from '@berth/core/errors';
import { SHELL_KEPT_SECONDS, SHELL_PROTOCOL, SOCKET_CLOSE } from '@berth/core/shell';
import type { KubeClient } from '@berth/kube/client/client';
import type { Clock as KubeClock } from '@berth/kube/client/clock';
import { type ExecSession, exec } from '@berth/kube/client/exec';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { HandlerContext, SocketAnswer } from '../http/handler.ts';
import { auditEnd } from './audit-end.ts';
import { findPod, type Target } from './find-pod.ts';
import { loadDeployment } from './load-deployment.ts';
import { podFailure } from './pod-failure.ts';
import { DEFAULT_COMMAND, endInWords, failureFrame } from './shell-command.ts';
import { createShellSession, type ShellEnd, type ShellSession } from './shell-session.ts';
import { closeSocket } from './socket-copy.ts';
import { watchAccess } from './watch-access.ts';

export type ShellClient = Pick<KubeClient, 'list' | 'socket'>;

export interface ShellDeps {
  database: Database;
  client: ShellClient;
  clock: Clock;
  timer: KubeClock;
}

export interface Shells {
  open(context: ShellContext): Promise<SocketAnswer>;
  /** Ends all that run, with their records. */
  stop(): Promise<void>;
}

export type ShellContext = HandlerContext<'openShell'>;

/** A shell that is open, or waits for its client to come back. */
interface OpenShell {
  session: ShellSession;
  /** Its client has gone; cancels the wait for it. */
  cancelWait?: () => void;
}

const GOING_AWAY = 1001;
const GONE = `This shell is gone: Berth was started again meanwhile, or nobody came back to it for ${SHELL_KEPT_SECONDS} seconds.`;

/** All shells of this server. One with a name is kept for its person when its client breaks off; a restart of the server ends all. */
export function createShells(deps: ShellDeps): Shells {
  const { database, client, timer } = deps;
  const named = new Map<string, OpenShell>();
  const running = new Set<ShellSession>();
  const records = new Set<Promise<void>>();

  async function start(socket: WebSocket, context: ShellContext, place: { target: Target; key: string | undefined }) {
    const { target, key } = place;
    const { query } = context;
    const command = query.command === undefined ? DEFAULT_COMMAND : [query.command].flat();
    const startedAt = timer.monotonic();
    const record = (how: ShellEnd, failed = false) => {
      const seconds = Math.round((timer.monotonic() - startedAt) / 1000);
      const detail = `${failed ? 'not opened' : `after ${seconds} s`}: ${how.outcome ? endInWords(how.outcome) : how.reason}`;
      const writing = auditEnd(deps, context, { target, detail, failed })
        .catch((err: unknown) => context.request.log.error({ err }, 'the end of a shell could not be recorded'))
        .finally(() => records.delete(writing));
      records.add(writing);
    };

    // What the client sends waits for the pod.
    socket.pause();
    let opened: ExecSession;
    try {
      opened = await exec(client, {
        ...target,
        command,
        tty: query.tty !== 'false',
        stdin: query.stdin !== 'false',
      });
    } catch (error) {
      const failure = podFailure(error);
      socket.send(failureFrame(failure.reason));
      closeSocket(socket, failure.code, failure.reason);
      return record(failure, true);
    }
    const shell: OpenShell = {
      session: createShellSession({ ...opened, pod: target.pod, command, onLeft: () => wait() }),
    };
    const wait = () => {
      const nobody = { code: SOCKET_CLOSE.ended, reason: 'its client went away' };
      if (key === undefined) return shell.session.end(nobody);
      shell.cancelWait = timer.after(SHELL_KEPT_SECONDS * 1000, () => {
        named.delete(key);
        shell.session.end(nobody);
      });
    };
    running.add(shell.session);
    if (key !== undefined) named.set(key, shell);
    shell.session.ended
      .then((how) => {
        running.delete(shell.session);
        // One whose client is away says so when it comes back.
        if (key !== undefined && !shell.cancelWait) named.delete(key);
        record(how);
      })
      .catch((err: unknown) => context.request.log.error({ err }, 'a shell ended badly'));
    join(socket, context, { shell, offset: key === undefined ? undefined : 0 });
    socket.resume();
  }

  function join(
    socket: WebSocket,
    context: ShellContext,
    { shell, offset }: { shell: OpenShell; offset: number | undefined },
  ): void {
    shell.cancelWait?.();
    delete shell.cancelWait;
    shell.session.attach(socket, offset);
    watchAccess(socket, { access: context.access, timer, refuse: shell.session.end }).catch((err: unknown) =>
      context.request.log.error({ err }, 'the rights of a shell could not be watched'),
    );
  }

  function comeBack(socket: WebSocket, context: ShellContext, key: string): void {
    const shell = named.get(key);
    if (!shell) {
      closeSocket(socket, SOCKET_CLOSE.gone, GONE);
      return;
    }
    join(socket, context, { shell, offset: context.query.offset });
    if (!running.has(shell.session)) named.delete(key);
  }

  return {
    async open(context) {
      const { query, audit } = context;
      const key = query.session && `${context.actor.userId} ${context.params.id} ${query.session}`;
      const deployment = await loadDeployment(database, context.params.id);
      audit.target(deployment.name);
      if (key !== undefined && query.offset !== undefined) {
        audit.detail(`back to a shell in ${query.service}`);
        return { protocol: SHELL_PROTOCOL, serve: async (socket) => comeBack(socket, context, key) };
      }
      if (key !== undefined && named.has(key)) {
        throw new BerthError('conflict', 'There is a shell with this session already; come back to it with an offset.');
      }
      const target = await findPod(client, deployment, query);
      audit.detail(`${commandInWords(query.command)} in ${query.service}, pod ${target.pod}`);
      return { protocol: SHELL_PROTOCOL, serve: (socket) => start(socket, context, { target, key }) };
    },
    async stop() {
      for (const session of running) session.end({ code: GOING_AWAY, reason: 'The server is stopping.' });
      // Their ends are told a moment later.
      await Promise.all([...running].map(({ ended }) => ended));
      await Promise.all(records);
    },
  };
}

function commandInWords(command: string | readonly string[] | undefined): string {
  return command === undefined ? 'a shell' : `"${[command].flat().join(' ')}"`;
}
