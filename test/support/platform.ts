import type { KubeObject } from '@berth/kube/schema/object';
import type { Page } from 'playwright-core';
import type { RestApi } from './rest-api.ts';

/**
 * A Berth under test, wherever it runs: on this machine or in a real cluster. What a test says of it holds for both; only target.ts knows
 * which it is.
 */
export interface Platform {
  readonly url: string;
  /** Apps answer at NAME.domain. */
  readonly domain: string;
  /** Who `signIn` signs in, as the pages show them. */
  readonly account: string;
  /** For what the test itself writes. */
  readonly folder: string;
  /** Node, as a pod of a shipped image starts it. */
  readonly nodeProgram: string;
  /** This machine's address as pods reach it: beyond the private ranges where those are closed to them. */
  readonly machineAddress: string;
  readonly browserArguments: readonly string[];
  /** Signed in by REST. */
  readonly api: RestApi;

  /** The public address of an app. */
  app(name: string, path?: string): string;
  /** Ends on the dashboard. */
  signIn(page: Page): Promise<void>;
  /** The command line; it is signed in by `signInCommand`. */
  berthCommand(...args: string[]): Promise<string>;
  signInCommand(): Promise<void>;
  kubectl(...args: string[]): Promise<string>;

  /** Every process of the platform ends and comes again; what it runs need not. */
  restart(): Promise<void>;
  /** Every process of that role, without a warning. Returns before it is back. */
  kill(role: 'server' | 'operator'): Promise<void>;

  /** Of deployments, told by the cluster. */
  pods(): Promise<KubeObject[]>;
  /** What every server says of itself in figures, one after the other. */
  serverMetrics(): Promise<string>;
  /** Everything of any deployment that is still there, in words: told by the cluster, the database, and where it can be seen the machine. */
  left(): Promise<string[]>;
  /** What one needs to know when a test has failed. */
  describe(): Promise<string>;
  /** Leaves the platform as it was met, or ends it. */
  end(): Promise<void>;
}
