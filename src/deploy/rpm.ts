import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { VERSION } from "#domain/program.ts";
import { packed, type PackedFile } from "./archives.ts";
import { runPackager, stageFiles } from "./stage.ts";
import { packageVersionOf } from "./targets.ts";

/** What a package for Fedora, RHEL or openSUSE is made of. */
export interface RpmPackage {
  /** `x86_64`, `aarch64`. */
  readonly architecture: string;
  readonly executable: PackedFile;
  /** The files beside it, as the archives have them. */
  readonly shared: readonly PackedFile[];
  /** The unit and the settings, by name. */
  readonly files: Readonly<Record<"bourse.service" | "bourse.toml" | "bourse.spec", string>>;
}

/** The file name of a package. */
export const rpmName = (architecture: string): string => `bourse-${VERSION}-1.${architecture}.rpm`;

/** Writes a package to `out` by `rpmbuild`. Equal files give equal bytes. @param folder for what it needs meanwhile */
export function writeRpm(
  out: string,
  folder: string,
  modifiedAt: number,
  { architecture, executable, shared, files }: RpmPackage,
): void {
  const root = join(folder, "staged");
  const content = [
    executable,
    ...shared.map((file) =>
      file.name === "share/man/man1/bourse.1"
        ? { ...file, name: `${file.name}.gz`, bytes: gzipSync(file.bytes, { level: 9 }) }
        : file,
    ),
    packed(
      "lib/systemd/system/bourse.service",
      files["bourse.service"].replace("/usr/local/bin/bourse", "/usr/bin/bourse"),
    ),
  ].map((file) => ({ ...file, name: `staged/usr/${file.name}` }));
  stageFiles(
    folder,
    [
      ...content,
      packed("staged/etc/bourse/bourse.toml", files["bourse.toml"]),
      packed("bourse.spec", files["bourse.spec"]),
    ],
    modifiedAt,
  );
  const macros = {
    _topdir: join(folder, "build"),
    _rpmdir: out,
    _rpmfilename: rpmName(architecture),
    bourse_version: packageVersionOf(VERSION),
    bourse_root: root,
  };
  const defines = Object.entries(macros).flatMap(([name, value]) => [
    "--define",
    `${name} ${value.replaceAll("%", "%%")}`,
  ]);
  const target = ["--target", `${architecture}-linux`];
  runPackager(
    ["rpmbuild", "-bb", "--quiet", ...target, ...defines, join(folder, "bourse.spec")],
    modifiedAt,
  );
}
