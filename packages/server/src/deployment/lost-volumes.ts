import { type FieldError, invalidInput } from '@berth/core/errors';
import { quantity } from '@berth/core/quantity';
import type { UserDeploymentSpec } from '@berth/core/user-deployment';

/** A volume that an update would leave behind, or make smaller than what it holds, is data that somebody would miss. */
export function refuseLostVolumes(before: UserDeploymentSpec, after: UserDeploymentSpec): void {
  const sizes = new Map(
    after.services.flatMap((service) =>
      (service.volumes ?? []).map((volume) => [`${service.name}/${volume.name}`, volume.size] as const),
    ),
  );
  const fields: FieldError[] = [];
  for (const service of before.services) {
    for (const { name, size } of service.volumes ?? []) {
      const next = sizes.get(`${service.name}/${name}`);
      const path = `services.${service.name}.volumes.${name}`;
      if (next === undefined)
        fields.push({ path, message: 'would be lost with all it holds; delete the deployment for that' });
      else if (quantity(next) < quantity(size)) {
        fields.push({ path, message: `cannot shrink from ${size} to ${next}; a volume only grows` });
      }
    }
  }
  if (fields.length > 0) throw invalidInput('The change', fields);
}
