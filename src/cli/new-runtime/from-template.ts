import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runtimePlural } from '../../api/index.ts';

/** The names of a runtime. */
export interface NewRuntimeNames {
  /** Folder and type: `acme-fs`. */
  readonly name: string;
  /** Custom resource without `Runtime`: `AcmeFs`. */
  readonly title: string;
}
/** The modules that the files import from. */
export interface ImportedFrom {
  readonly api: string;
  readonly constructs: string;
  readonly testing: string;
  /** The runtime, for its test. */
  readonly runtime: string;
}

/** The files of the folder `template`, which compile and whose test runs: a client on each node that reads, and workers with a cache. */
const FILES = [
  'sluice.config.ts',
  'src/spec.ts',
  'src/plan.ts',
  'src/components.ts',
  'src/index.ts',
  'README.md',
  'test/conformance.test.ts',
];
const NAME = 'new-fs';
const TITLE = 'NewFs';
/** Names, and modules of other folders. */
const TO_RENAME = /newfsruntimes|new-fs|[Nn]ewFs|'\.\.\/[^']*'/g;

/** These files for another runtime, by their path in a package. */
export function fromTemplate({ name, title }: NewRuntimeNames, from: ImportedFrom): Readonly<Record<string, string>> {
  const renamed = new Map([
    [runtimePlural(NAME), runtimePlural(name)],
    [NAME, name],
    [TITLE, title],
    [camel(TITLE), camel(title)],
    ["'../../../../api/index.ts'", `'${from.api}'`],
    ["'../../../../constructs/index.ts'", `'${from.constructs}'`],
    ["'../../../../testing/index.ts'", `'${from.testing}'`],
    ["'../src/index.ts'", `'${from.runtime}'`],
  ]);
  const folder = folderOfTemplate();
  return Object.fromEntries(
    FILES.map((file) => [file, readFileSync(join(folder, file), 'utf8').replace(TO_RENAME, (found) => renamed.get(found) ?? found)]),
  );
}

/** Beside this file in a checkout; scripts/build.ts puts it into dist/new-runtime of the package. */
function folderOfTemplate(): string {
  const beside = join(import.meta.dirname, 'template');
  return existsSync(beside) ? beside : join(import.meta.dirname, '../new-runtime');
}

const camel = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1);
