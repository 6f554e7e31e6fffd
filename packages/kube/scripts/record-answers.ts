/**
 * Records what a real kube-apiserver answers to the scenario, for answers.test.ts to compare with ours.
 *
 *   npx tsx packages/kube/scripts/record-answers.ts KUBECONFIG
 *
 * KUBECONFIG: an administrator's, with certificates inside, of a control plane that has nothing else to do.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { type Answer, answerOf, type Endpoint } from '../src/embedded/api/testing/run-scenario.ts';
import { scenario } from '../src/embedded/api/testing/scenario.ts';

const [file, target] = process.argv.slice(2);
if (!file) throw new Error('give the kubeconfig of a real kube-apiserver');
const config = parse(readFileSync(file, 'utf8'));
const decode = (text: string) => Buffer.from(text, 'base64').toString('utf8');
const endpoint: Endpoint = {
  url: config.clusters[0].cluster.server,
  ca: decode(config.clusters[0].cluster['certificate-authority-data']),
  certificate: decode(config.users[0].user['client-certificate-data']),
  key: decode(config.users[0].user['client-key-data']),
};
const answers: Record<string, Answer> = {};
for (const step of scenario) {
  answers[step.name] = await answerOf(endpoint, step);
  // A real server serves a new definition a moment later.
  if (step.name.startsWith('create a definition')) await new Promise((resolve) => setTimeout(resolve, 3000));
}
writeFileSync(
  target ?? fileURLToPath(new URL('../src/embedded/api/testing/answers.recorded.json', import.meta.url)),
  `${JSON.stringify(answers, undefined, 1)}\n`,
);
console.log(`${scenario.length} answers recorded`);
