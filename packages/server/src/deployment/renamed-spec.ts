import { serviceObjectName } from '@berth/core/names';
import type { Service } from '@berth/core/service';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';

/**
 * The spec of one deployment for another of another name: where its text names one of its own services, the name follows, so that the
 * copy does not talk to the database of what it was copied from.
 */
export function renamedSpec(spec: UserDeploymentSpec, { from, to }: { from: string; to: string }): UserDeploymentSpec {
  const names = new Map(spec.services.map(({ name }) => [serviceObjectName(from, name), serviceObjectName(to, name)]));
  const pattern = new RegExp(`(?<![\\w-])(${[...names.keys()].join('|')})(?![\\w-])`, 'g');
  const renamed = (text: string) => text.replace(pattern, (whole, name: string) => names.get(name) ?? whole);
  return {
    ...spec,
    services: spec.services.map((service) => withText(service, renamed)),
    ...(spec.jobs && { jobs: spec.jobs.map((job) => withText(job, renamed)) }),
  };
}

type Text = Pick<Service, 'command' | 'args' | 'env' | 'files'>;

function withText<T extends Text>(workload: T, renamed: (text: string) => string): T {
  const { command, args, env, files } = workload;
  return {
    ...workload,
    ...(command && { command: command.map(renamed) }),
    ...(args && { args: args.map(renamed) }),
    ...(env && { env: env.map((each) => (each.value === undefined ? each : { ...each, value: renamed(each.value) })) }),
    ...(files && {
      files: files.map((each) => (each.content === undefined ? each : { ...each, content: renamed(each.content) })),
    }),
  };
}
