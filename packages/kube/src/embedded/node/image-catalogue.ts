import { ContainerConfigError } from './environment/container-config-error.ts';

/** A program that this node can run as an image, without a container engine. */
export interface CatalogueImage {
  entrypoint: string[];
  command: string[];
  env: Record<string, string>;
}

/** By the image's name without tag and digest. */
export type ImageCatalogue = Record<string, CatalogueImage>;

export function findImage(catalogue: ImageCatalogue, reference: string): CatalogueImage {
  const image = Object.hasOwn(catalogue, imageName(reference)) ? catalogue[imageName(reference)] : undefined;
  if (image) return image;
  const names = Object.keys(catalogue).sort().join(', ');
  throw new ContainerConfigError(
    `This node has no container engine, so it cannot pull "${reference}". It runs these images only: ${names}. ` +
      'To run others, use a cluster whose nodes have containers (k3s, kind, or any Kubernetes) by its kubeconfig.',
    'ErrImagePull',
  );
}

/** `registry:5000/name:tag@sha256:...` without tag and digest: a colon before the last slash is a port. */
export function imageName(reference: string): string {
  const [name = ''] = reference.split('@');
  const colon = name.lastIndexOf(':');
  return colon > name.lastIndexOf('/') ? name.slice(0, colon) : name;
}
