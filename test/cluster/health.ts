import * as http from 'node:http';
import * as https from 'node:https';

const WITHIN_MS = 2_000;

/** Whether something answers there with 200. Whose certificate it shows does not matter for that. */
export function isHealthy(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const get = address.startsWith('https:') ? https.get : http.get;
    const request = get(address, { rejectUnauthorized: false, timeout: WITHIN_MS, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
    request.once('close', () => resolve(false));
  });
}
