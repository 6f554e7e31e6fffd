import { createServer } from 'node:net';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from './json-file.ts';

/**
 * The ports of the processes behind the public one. They are kept from start to start, so that a kubeconfig, or a bookmark of
 * somebody who debugs, goes on working; one that is taken meanwhile is chosen anew.
 */
const LOOPBACK = '127.0.0.1';
const port = z.int().min(1).max(65_535);
const portsSchema = z.object({
  public: port,
  server: port,
  internal: port,
  cluster: port,
  routerMetrics: port,
  operatorMetrics: port,
});
export type Ports = z.infer<typeof portsSchema>;

export interface PublicPort {
  bind: string;
  /** 0 is any free one, the same as last time if possible. */
  port: number;
}

export async function choosePorts(file: string, wanted: PublicPort): Promise<Ports> {
  const known = portsSchema
    .partial()
    .catch({})
    .parse(readJsonFile(file) ?? {});
  const taken = new Set<number>(wanted.port === 0 ? [] : [wanted.port]);
  const publicPort = wanted.port === 0 ? await keepOrChoose(known.public, wanted.bind, taken) : await insist(wanted);
  const ports = {
    public: publicPort,
    server: await keepOrChoose(known.server, LOOPBACK, taken),
    internal: await keepOrChoose(known.internal, LOOPBACK, taken),
    cluster: await keepOrChoose(known.cluster, LOOPBACK, taken),
    routerMetrics: await keepOrChoose(known.routerMetrics, LOOPBACK, taken),
    operatorMetrics: await keepOrChoose(known.operatorMetrics, LOOPBACK, taken),
  };
  writeJsonFile(file, ports);
  return ports;
}

async function insist({ bind, port }: PublicPort): Promise<number> {
  const problem = await listenProblem(port, bind);
  if (problem === undefined) return port;
  const why: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${bind} is in use by another program: end it, or choose another with --port N`,
    EACCES: `port ${port} on ${bind} needs more rights than you have: choose one above 1023 with --port N`,
    EADDRNOTAVAIL: `${bind} is not an address of this machine: choose another with --bind ADDRESS`,
  };
  throw new Error(why[problem] ?? `cannot listen on port ${port} of ${bind}: ${problem}`);
}

async function keepOrChoose(known: number | undefined, bind: string, taken: Set<number>): Promise<number> {
  let chosen = known;
  while (chosen === undefined || taken.has(chosen) || (await listenProblem(chosen, bind)) !== undefined) {
    chosen = await freePort(bind);
  }
  taken.add(chosen);
  return chosen;
}

function freePort(bind: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, bind, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** The error code that listening there would end in. */
function listenProblem(port: number, bind: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, bind, () => server.close(() => resolve(undefined)));
  });
}
