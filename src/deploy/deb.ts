import { gzipSync } from "node:zlib";
import { VERSION } from "#domain/program.ts";
import { packed, type PackedFile } from "./archives.ts";
import { runPackager, stageFiles } from "./stage.ts";
import { packageVersionOf } from "./targets.ts";

/** Where Debian has a file of the archives, and compressed if it must be. */
const PLACES: Readonly<Record<string, string>> = {
  "share/man/man1/bourse.1": "usr/share/man/man1/bourse.1.gz",
  "share/doc/bourse/CHANGELOG.md": "usr/share/doc/bourse/changelog.gz",
  "share/doc/bourse/LICENSE": "usr/share/doc/bourse/copyright",
  "share/zsh/site-functions/_bourse": "usr/share/zsh/vendor-completions/_bourse",
};

/** What a package of Debian is made of. */
export interface DebianPackage {
  /** `amd64`, `arm64`. */
  readonly architecture: string;
  /** As `Publisher` has it. */
  readonly maintainer: string;
  readonly executable: PackedFile;
  /** The files beside it, as the archives have them. */
  readonly shared: readonly PackedFile[];
  /** The files of `deploy/debian` and the unit, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Writes a package for Debian and Ubuntu by `dpkg-deb`. Equal files give equal bytes. */
export function writeDebianPackage(
  path: string,
  folder: string,
  modifiedAt: number,
  { architecture, maintainer, executable, shared, files }: DebianPackage,
): void {
  const control = [
    "Package: bourse",
    `Version: ${packageVersionOf(VERSION)}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    "Section: net",
    "Priority: optional",
    "Depends: libc6 (>= 2.25), passwd",
    "Description: markets data service for the United States, Japan and Viet Nam",
    " bourse serves prices, statements, sectors and economic data over REST and MCP,",
    " with a console, users, tokens and quotas. Its data are in one folder.",
    "",
  ].join("\n");
  const content = [
    { ...executable, name: "usr/bin/bourse" },
    ...shared.map(atDebiansPlace),
    packed(
      "usr/lib/systemd/system/bourse.service",
      (files["bourse.service"] ?? "").replace("/usr/local/bin/bourse", "/usr/bin/bourse"),
    ),
    packed("etc/bourse/bourse.toml", files["bourse.toml"] ?? ""),
    packed("usr/share/lintian/overrides/bourse", files["overrides"] ?? ""),
    packed("DEBIAN/control", control),
    packed("DEBIAN/conffiles", "/etc/bourse/bourse.toml\n"),
    ...["postinst", "prerm", "postrm"].map((name) =>
      packed(`DEBIAN/${name}`, files[name] ?? "", 0o755),
    ),
  ];
  stageFiles(folder, content, modifiedAt);
  runPackager(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", folder, path], modifiedAt);
}

function atDebiansPlace(file: PackedFile): PackedFile {
  const name = PLACES[file.name] ?? `usr/${file.name}`;
  return {
    ...file,
    name,
    bytes: name.endsWith(".gz") ? gzipSync(file.bytes, { level: 9 }) : file.bytes,
  };
}
