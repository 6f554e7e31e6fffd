import { BerthError } from '@berth/core/errors';
import { SHELL_KEPT_SECONDS, SHELL_PROTOCOL, SOCKET_CLOSE } from '@berth/core/shell';
import type { KubeClient } from '@berth/kube/client/client';
import type { Clock as KubeClock } from '@berth/kube/client/clock';
import { type ExecSession, exec } from '@berth/kube/client/exec';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { HandlerContext, SocketAnswer } from '../http/handler.ts';
import type { Access } from '../live/access-check.ts';
import type { Logger } from '../logger.ts';
import { auditEnd } from './audit-end.ts';
import { findPod, type Target } from './find-pod.ts';
import type { Guests } from './guests.ts';
import { loadDeployment } from './load-deployment.ts';
import type { PeerTicket } from './peer-ticket.ts';
import { podFailure } from './pod-failure.ts';
import { DEFAULT_COMMAND, endInWords, failureFrame } from './shell-command.ts';
import type { ShellPeers } from './shell-peers.ts';
import type { ShellName } from './shell-places.ts';
import { createShellSession, type ShellEnd, type ShellSession } from './shell-session.ts';
import { closeSocket } from './socket-copy.ts';
import { visitElsewhere } from './visit-elsewhere.ts';
import { watchAccess } from './watch-access.ts';

export type ShellClient = Pick<KubeClient, 'list' | 'socket'>;

export interface ShellDeps {
  database: Database;
  client: ShellClient;
  clock: Clock;
  timer: KubeClock;
  guests: Guests;
  /** Absent where there is one server. */
  peers?: ShellPeers | undefined;
}

export interface Shells {
  open(context: ShellContext): Promise<SocketAnswer>;
  /** The shell that another server asks for. */
  find(ticket: Pick<PeerTicket, 'shell' | 'userId'>): HeldShell | undefined;
  /** Tells their people that all end by themselves so soon. */
  announceEnd(milliseconds: number): void;
  /** Ends all that run, with their records. */
  stop(): Promise<void>;
}

export interface HeldShell {
  deploymentId: string;
  join(socket: WebSocket, visit: Visit): void;
}

export type ShellContext = HandlerContext<'openShell'>;

/** A client that has come. */
interface Visit {
  access(): Promise<Access>;
  log: Logger;
  /** What it has of the output; undefined for one that never comes back. */
  offset: number | undefined;
}

/** A shell that is open, or waits for its client to come back. */
interface OpenShell {
  session: ShellSession;
  /** Its client has gone; cancels the wait for it. */
  cancelWait?: () => void;
}

/** A shell that its person may come back to. */
interface NamedShell extends OpenShell {
  name: ShellName;
  /** Where all servers look it up. */
  place: string | undefined;
}

const GONE = `This shell is gone: its server was started again meanwhile, or nobody came back to it for ${SHELL_KEPT_SECONDS} seconds.`;
const STOPPING = 'The server that held this shell was stopped, and the shell with it.';
const TAKEN = 'There is a shell with this session already; come back to it with an offset.';

/** All shells of this server. One with a name is kept for its person when its client breaks off; an end of the server ends all. */
export function createShells(deps: ShellDeps): Shells {
  const { database, client, timer, guests, peers } = deps;
  const named = new Map<string, NamedShell>();
  const running = new Set<ShellSession>();
  const records = new Set<Promise<void>>();
  let secondsLeft: (() => number) | undefined;

  /** What is written after a shell's end; a stop waits for it. */
  function writeDown(log: Logger, writing: Promise<void>): void {
    const written = writing
      .catch((err: unknown) => log.error({ err }, 'the end of a shell could not be recorded'))
      .finally(() => records.delete(written));
    records.add(written);
  }

  async function start(
    socket: WebSocket,
    context: ShellContext,
    { target, name }: { target: Target; name: ShellName | undefined },
  ): Promise<void> {
    const { query, request } = context;
    const command = query.command === undefined ? DEFAULT_COMMAND : [query.command].flat();
    const startedAt = timer.monotonic();
    const record = (how: ShellEnd, failed = false) => {
      const seconds = Math.round((timer.monotonic() - startedAt) / 1000);
      const detail = `${failed ? 'not opened' : `after ${seconds} s`}: ${how.outcome ? endInWords(how.outcome) : how.reason}`;
      writeDown(request.log, auditEnd(deps, context, { target, detail, failed }));
    };
    const refuse = (failure: ShellEnd) => {
      socket.send(failureFrame(failure.reason));
      closeSocket(socket, failure.code, failure.reason);
      record(failure, true);
    };

    // What the client sends waits for the pod.
    socket.pause();
    const place = name && (await peers?.claim(name));
    if (name && peers && place === undefined) return refuse({ code: SOCKET_CLOSE.unavailable, reason: TAKEN });
    const forget = () => {
      if (place !== undefined && peers) writeDown(request.log, peers.forget(place));
    };
    let opened: ExecSession;
    try {
      opened = await exec(client, {
        ...target,
        command,
        tty: query.tty !== 'false',
        stdin: query.stdin !== 'false',
      });
    } catch (error) {
      forget();
      return refuse(podFailure(error));
    }
    const session = createShellSession({ ...opened, pod: target.pod, command, onLeft: () => wait() });
    const shell: OpenShell | NamedShell = name ? { session, name, place } : { session };
    const key = name && keyOf(name);
    const wait = () => {
      const nobody = { code: SOCKET_CLOSE.ended, reason: 'its client went away' };
      if (key === undefined) return session.end(nobody);
      shell.cancelWait = timer.after(SHELL_KEPT_SECONDS * 1000, () => {
        forgetNamed(key);
        session.end(nobody);
      });
    };
    const forgetNamed = (at: string) => {
      named.delete(at);
      forget();
    };
    const left = guests.arrive();
    running.add(session);
    if (secondsLeft) session.announceEnd(secondsLeft);
    if (key !== undefined) named.set(key, shell as NamedShell);
    session.ended
      .then((how) => {
        running.delete(session);
        left();
        // One whose client is away says so when it comes back.
        if (key !== undefined && !shell.cancelWait) forgetNamed(key);
        record(how);
      })
      .catch((err: unknown) => request.log.error({ err }, 'a shell ended badly'));
    join(socket, shell, { ...context, log: request.log, offset: key === undefined ? undefined : 0 });
    socket.resume();
  }

  function join(socket: WebSocket, shell: OpenShell, { access, log, offset }: Visit): void {
    shell.cancelWait?.();
    delete shell.cancelWait;
    shell.session.attach(socket, offset);
    watchAccess(socket, { access, timer, refuse: shell.session.end }).catch((err: unknown) =>
      log.error({ err }, 'the rights of a shell could not be watched'),
    );
  }

  function comeBack(socket: WebSocket, shell: NamedShell, visit: Visit): void {
    join(socket, shell, visit);
    if (running.has(shell.session)) return;
    named.delete(keyOf(shell.name));
    if (shell.place !== undefined && peers) writeDown(visit.log, peers.forget(shell.place));
  }

  async function answerReturn(context: ShellContext, name: ShellName): Promise<(socket: WebSocket) => Promise<void>> {
    const here = named.get(keyOf(name));
    const visit = { ...context, log: context.request.log, offset: context.query.offset };
    if (here) return async (socket) => comeBack(socket, here, visit);
    const place = await peers?.find(name);
    if (place) return (socket) => visitElsewhere(deps, socket, { context, place });
    return async (socket) => closeSocket(socket, SOCKET_CLOSE.gone, GONE);
  }

  return {
    async open(context) {
      const { query, audit, actor, params } = context;
      const { session } = query;
      const name = session === undefined ? undefined : { userId: actor.userId, deploymentId: params.id, session };
      const deployment = await loadDeployment(database, params.id);
      audit.target(deployment.name);
      if (name && query.offset !== undefined) {
        audit.detail(`back to a shell in ${query.service}`);
        return { protocol: SHELL_PROTOCOL, serve: await answerReturn(context, name) };
      }
      if (name && (named.has(keyOf(name)) || (await peers?.find(name)))) throw new BerthError('conflict', TAKEN);
      const target = await findPod(client, deployment, query);
      audit.detail(`${commandInWords(query.command)} in ${query.service}, pod ${target.pod}`);
      return { protocol: SHELL_PROTOCOL, serve: (socket) => start(socket, context, { target, name }) };
    },
    find({ shell: place, userId }) {
      const shell = [...named.values()].find((each) => each.place === place && each.name.userId === userId);
      if (!shell) return undefined;
      return { deploymentId: shell.name.deploymentId, join: (socket, visit) => comeBack(socket, shell, visit) };
    },
    announceEnd(milliseconds) {
      const endsAt = timer.monotonic() + milliseconds;
      secondsLeft = () => Math.max(0, Math.round((endsAt - timer.monotonic()) / 1000));
      for (const session of running) session.announceEnd(secondsLeft);
    },
    async stop() {
      for (const session of running) session.end({ code: SOCKET_CLOSE.gone, reason: STOPPING });
      // Their ends are told a moment later.
      await Promise.all([...running].map(({ ended }) => ended));
      await Promise.all(records);
      await peers?.stop();
    },
  };
}

function keyOf({ userId, deploymentId, session }: ShellName): string {
  return `${userId} ${deploymentId} ${session}`;
}

function commandInWords(command: string | readonly string[] | undefined): string {
  return command === undefined ? 'a shell' : `"${[command].flat().join(' ')}"`;
}
