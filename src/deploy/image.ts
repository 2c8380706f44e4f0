import { gzipped, packed, type PackedFile, tarOf } from "./archives.ts";
import type { Libc } from "./libc.ts";
import type { Architecture } from "./targets.ts";

/** The user of the container, who owns the data. A number, because Kubernetes checks that it is not 0. */
const USER = 10_001;
const EXECUTABLE = "/usr/local/bin/bourse";
const SECOND_NS = 1_000_000_000;

/** One architecture of an image. */
export interface ImagePlatform {
  readonly architecture: Architecture;
  readonly executable: PackedFile;
  readonly libc: Libc;
}

/** What all architectures of an image have in common. */
export interface ImageParts {
  readonly version: string;
  /** The commit; null if it is unknown. */
  readonly revision: string | null;
  /** Of all files, UTC milliseconds. */
  readonly modifiedAt: number;
  /** `owner/repository` on GitHub. */
  readonly repository: string;
  /** The name of the server in the MCP Registry, which checks that the image has it. */
  readonly mcpName: string;
  readonly licences: readonly PackedFile[];
}

/** A blob of the layout, by its digest. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const TYPES = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

/**
 * An image for several architectures as the tar archive of an OCI layout (image-spec 1.1), which skopeo,
 * podman and Docker read. It has the executable, the C library and no shell.
 */
export async function imageArchive(
  platforms: readonly ImagePlatform[],
  parts: ImageParts,
): Promise<Uint8Array> {
  const blobs = new Map<string, PackedFile>();
  const add = (mediaType: string, bytes: Uint8Array): Descriptor => {
    const hash = sha256(bytes);
    blobs.set(hash, packed(`blobs/sha256/${hash}`, bytes));
    return { mediaType, digest: `sha256:${hash}`, size: bytes.length };
  };
  const annotations = labelsOf(parts);
  const manifests = [];
  for (const platform of platforms) {
    const layers = await layersOf(platform, parts);
    const config = add(TYPES.config, json(configOf(platform, parts, layers)));
    const manifest = {
      schemaVersion: 2,
      mediaType: TYPES.manifest,
      config,
      layers: layers.map(({ bytes }) => add(TYPES.layer, bytes)),
      annotations,
    };
    manifests.push({
      ...add(TYPES.manifest, json(manifest)),
      platform: { architecture: platform.architecture, os: "linux" },
    });
  }
  const versioned = { schemaVersion: 2, mediaType: TYPES.index };
  const index = add(TYPES.index, json({ ...versioned, manifests, annotations }));
  const name = { "org.opencontainers.image.ref.name": parts.version };
  return tarOf(
    [
      packed("oci-layout", json({ imageLayoutVersion: "1.0.0" })),
      packed("index.json", json({ ...versioned, manifests: [{ ...index, annotations: name }] })),
      ...blobs.values(),
    ],
    parts.modifiedAt,
  );
}

interface Layer {
  /** In gzip. */
  readonly bytes: Uint8Array;
  /** The digest of the archive before gzip. */
  readonly diffId: string;
  readonly madeBy: string;
}

function layersOf(
  { executable, libc }: ImagePlatform,
  { version, modifiedAt, licences }: ImageParts,
): Promise<Layer[]> {
  const folder = (name: string, mode: number, owner: number) => ({
    ...packed(`${name}/`, "", mode),
    owner,
  });
  const contents = [
    {
      madeBy: `libc6 ${libc.version} of Debian 12`,
      files: [
        packed("etc/passwd", `bourse:x:${USER}:${USER}:bourse:/data:/usr/sbin/nologin\n`),
        packed("etc/group", `bourse:x:${USER}:\n`),
        packed("etc/nsswitch.conf", "hosts: files dns\n"),
        packed("etc/os-release", 'PRETTY_NAME="Debian 12 (libc6)"\nID=debian\nVERSION_ID="12"\n'),
        ...libc.files,
        folder("data", 0o700, USER),
        folder("tmp", 0o1777, 0),
      ],
    },
    {
      madeBy: `bourse ${version}`,
      files: [
        { ...executable, name: EXECUTABLE.slice(1) },
        ...licences.map((file) => ({ ...file, name: `usr/share/doc/bourse/${file.name}` })),
      ],
    },
  ];
  return Promise.all(
    contents.map(async ({ madeBy, files }) => {
      const tar = await tarOf(files, modifiedAt);
      return { madeBy, diffId: `sha256:${sha256(tar)}`, bytes: await gzipped(tar) };
    }),
  );
}

function configOf(
  { architecture }: ImagePlatform,
  parts: ImageParts,
  layers: readonly Layer[],
): object {
  const created = new Date(parts.modifiedAt).toISOString();
  return {
    created,
    architecture,
    os: "linux",
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { "8787/tcp": {} },
      Env: [
        "PATH=/usr/local/bin",
        "BOURSE_DATA=/data",
        "BOURSE_HOST=0.0.0.0",
        // SQLite and imports need a folder for temporary files. With a read-only root there is no other one.
        "TMPDIR=/data",
      ],
      Entrypoint: [EXECUTABLE],
      Cmd: ["serve"],
      Volumes: { "/data": {} },
      WorkingDir: "/data",
      Labels: labelsOf(parts),
      // Docker's and Podman's field; Kubernetes has its own probes.
      Healthcheck: {
        Test: ["CMD", EXECUTABLE, "health"],
        Interval: 30 * SECOND_NS,
        Timeout: 6 * SECOND_NS,
        StartPeriod: 60 * SECOND_NS,
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ madeBy }) => ({ created, created_by: madeBy })),
  };
}

function labelsOf({ version, revision, modifiedAt, repository, mcpName }: ImageParts) {
  const url = `https://github.com/${repository}`;
  return {
    "io.modelcontextprotocol.server.name": mcpName,
    "org.opencontainers.image.created": new Date(modifiedAt).toISOString(),
    "org.opencontainers.image.description":
      "Markets data service for the United States, Japan and Viet Nam, over REST and MCP",
    "org.opencontainers.image.documentation": `${url}#readme`,
    "org.opencontainers.image.licenses": "MIT",
    ...(revision && { "org.opencontainers.image.revision": revision }),
    "org.opencontainers.image.source": url,
    "org.opencontainers.image.title": "bourse",
    "org.opencontainers.image.url": url,
    "org.opencontainers.image.version": version,
  };
}

const json = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const sha256 = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
