import { request } from 'node:http';

export interface AppAnswer {
  status: number;
  body: string;
}

/** Asks an app by its public host, which not every resolver knows: the loopback address is given instead. */
export function ask(
  name: string,
  port: number,
  {
    method = 'GET',
    path = '/',
    accept = 'application/json',
    body,
  }: { method?: string; path?: string; accept?: string; body?: unknown } = {},
): Promise<AppAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: `${name}.localhost:${port}`,
      accept,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const asking = request({ host: '127.0.0.1', port, path, method, headers, timeout: 5_000 }, async (response) => {
      try {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, body: text });
      } catch (error) {
        reject(error);
      }
    });
    asking.on('error', reject).on('timeout', () => asking.destroy(new Error('no answer in time')));
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
