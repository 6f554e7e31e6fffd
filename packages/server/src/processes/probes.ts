/**
 * What a process tells about itself at `/livez` and `/readyz`, in the manner of Kubernetes: https://kubernetes.io/docs/reference/using-api/health-checks/
 * A process is told by 200 or 503; with `?verbose`, or when it fails, by a line for each check:
 *
 *     [+]database ok
 *     [!]cluster degraded: it has not answered for 40 s
 *     [-]startup failed: it is starting
 *     readyz check failed
 */
export interface Probe {
  name: string;
  /** A sentence that everybody may read. Undefined is well. */
  problem(): string | undefined | Promise<string | undefined>;
  /** It is told and fails nothing: what is away for all replicas at once must not take all of them away. */
  tells?: boolean;
}

export interface Probes {
  /** Whether starting the process again would help. */
  live: readonly Probe[];
  /** Whether it can do its work now. */
  ready: readonly Probe[];
}

export interface ProbeAnswer {
  status: 200 | 503;
  text: string;
}

/** Before whoever probes gives up. */
const ANSWER_WITHIN_MS = 2_000;

/** Answers `/livez`, `/readyz` and `/healthz`; undefined for any other address. */
export async function answerProbe(probes: Probes, url: string): Promise<ProbeAnswer | undefined> {
  const [path = '', query = ''] = url.split('?');
  const name = path.slice(1);
  const asked = new Map([
    ['livez', probes.live],
    ['healthz', probes.live],
    ['readyz', probes.ready],
  ]).get(name);
  return asked && ask(name, asked, new URLSearchParams(query));
}

async function ask(name: string, probes: readonly Probe[], query: URLSearchParams): Promise<ProbeAnswer> {
  const excluded = query.getAll('exclude');
  const asked = probes.filter((each) => !excluded.includes(each.name));
  const problems = await Promise.all(asked.map((each) => problemOf(each)));
  const failed = asked.some((each, at) => problems[at] !== undefined && each.tells !== true);
  if (!failed && !query.has('verbose')) return { status: 200, text: 'ok\n' };
  const lines = asked.map((each, at) => line(each, problems[at]));
  const left = excluded.filter((each) => probes.some((probe) => probe.name === each));
  return {
    status: failed ? 503 : 200,
    text: `${[...lines, ...left.map((each) => `[+]${each} excluded: ok`), `${name} check ${failed ? 'failed' : 'passed'}`].join('\n')}\n`,
  };
}

function line({ name, tells }: Probe, problem: string | undefined): string {
  if (problem === undefined) return `[+]${name} ok`;
  return tells ? `[!]${name} degraded: ${problem}` : `[-]${name} failed: ${problem}`;
}

/** What is thrown is not told: it may say what is nobody's business. */
async function problemOf({ problem }: Probe): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it did not answer within ${ANSWER_WITHIN_MS / 1000} s`), ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([Promise.resolve().then(problem), late]);
  } catch (error) {
    return error instanceof Error ? 'it cannot be asked; the log says why' : 'it cannot be asked';
  } finally {
    clearTimeout(timer);
  }
}
