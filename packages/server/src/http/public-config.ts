import type { Handlers } from './handler.ts';

export interface PublicConfigSource {
  version: string;
  domain: string;
  /** An app's address with `{name}` in it. */
  appUrl: string;
  devSignIn: boolean;
}

export function configHandlers(source: PublicConfigSource): Handlers<'getConfig'> {
  return {
    getConfig: async () => ({
      version: source.version,
      domain: source.domain,
      appUrl: source.appUrl,
      signIn: { dev: source.devSignIn, password: true },
    }),
  };
}
