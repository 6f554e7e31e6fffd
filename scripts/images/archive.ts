// An image as one file: the OCI image layout as a tar archive, which containerd, podman, skopeo and crane read. `manifest.json` is what
// older versions of Docker ask for; it names the same blobs.
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs';
import type { ImageConfiguration } from './configuration.ts';
import { digestOf, type LayerFile } from './layer.ts';
import { headerOf, padding } from './tar.ts';

const MEDIA = {
  config: 'application/vnd.oci.image.config.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
};

export interface ImageParts {
  /** REGISTRY/PATH/NAME:TAG */
  reference: string;
  architecture: string;
  configuration: ImageConfiguration;
  layers: (LayerFile & { comment: string })[];
}

export interface DescribedImage {
  reference: string;
  digest: string;
  /** JSON each, to the byte. */
  configuration: Buffer;
  manifest: Buffer;
  index: Buffer;
  layers: LayerFile[];
}

/** The JSON documents of an image; nothing is read or written. */
export function describeImage({ reference, architecture, configuration: config, layers }: ImageParts): DescribedImage {
  const configuration = json({
    architecture,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ comment }) => ({ created_by: 'npm run images', comment })),
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    config: descriptor(MEDIA.config, configuration),
    layers: layers.map(({ digest, size }) => ({ mediaType: MEDIA.layer, digest, size })),
  });
  const index = json({
    schemaVersion: 2,
    mediaType: MEDIA.index,
    manifests: [
      {
        ...descriptor(MEDIA.manifest, manifest),
        platform: { architecture, os: 'linux' },
        annotations: {
          'io.containerd.image.name': reference,
          'org.opencontainers.image.ref.name': reference.slice(reference.lastIndexOf(':') + 1),
        },
      },
    ],
  });
  return { reference, configuration, manifest, index, layers, digest: digestOf(manifest) };
}

/** Writes the archive unless it is there already; returns whether it did. A reader never sees half of one. */
export function writeArchive(image: DescribedImage, path: string): boolean {
  const start = Buffer.concat([member('index.json', image.index), member('oci-layout', LAYOUT)]);
  if (beginsWith(path, start)) return false;
  const unfinished = `${path}.${process.pid}`;
  const archive = openSync(unfinished, 'w');
  try {
    const blobs = new Map([image.configuration, image.manifest].map((blob) => [digestOf(blob), blob]));
    for (const layer of image.layers) blobs.set(layer.digest, readFileSync(layer.path));
    writeFileSync(archive, start);
    writeFileSync(archive, member('manifest.json', json([dockerManifest(image)])));
    for (const [digest, blob] of blobs) writeFileSync(archive, member(blobPath(digest), blob));
    writeFileSync(archive, Buffer.alloc(1024));
  } finally {
    closeSync(archive);
  }
  renameSync(unfinished, path);
  return true;
}

const LAYOUT = json({ imageLayoutVersion: '1.0.0' });

function dockerManifest({ configuration, reference, layers }: DescribedImage) {
  return {
    Config: blobPath(digestOf(configuration)),
    RepoTags: [reference],
    Layers: layers.map(({ digest }) => blobPath(digest)),
  };
}

function member(name: string, content: Buffer): Buffer {
  return Buffer.concat([headerOf(name, content.length), content, padding(content.length)]);
}

/** The index names everything else by its content, so an archive with the same beginning is the same. */
function beginsWith(path: string, start: Buffer): boolean {
  if (!existsSync(path)) return false;
  const archive = openSync(path, 'r');
  try {
    const found = Buffer.alloc(start.length);
    readSync(archive, found);
    return found.equals(start);
  } finally {
    closeSync(archive);
  }
}

function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function descriptor(mediaType: string, content: Buffer) {
  return { mediaType, digest: digestOf(content), size: content.length };
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
