import { pageNotFound } from '../errors.ts';
import type { ResourceCall } from './resource-handler.ts';

export async function handleSubresource(_call: ResourceCall): Promise<void> {
  throw pageNotFound();
}
