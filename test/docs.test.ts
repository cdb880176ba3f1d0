/**
 * The documentation is checked like code: what it quotes is there, what it lists is all, what it says to type works.
 * Tables between `<!-- generated: … -->` and `<!-- end -->` are rendered here; `npx vitest run test/docs.test.ts --project programs --update`
 * writes them, and the golden manifests of the tutorial.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runtimes } from '../runtimes/_all.gen.ts';
import { annotation, datasetFinalizer, label } from '../src/api/index.ts';
import { COMMANDS } from '../src/cli/program.ts';
import { controllerRights, electionRights, nodePluginRights, type Right } from '../src/install/rights.ts';
import { type Cause, causes } from '../src/reconciler/reasons.ts';
import { createMetrics } from '../src/reconciler/metrics.ts';
import { LONGEST_QUANTITY } from '../src/api/units.ts';
import { LONGEST_TEXT, MOST_ENTRIES, MOST_SECRETS } from '../src/constructs/limits.ts';
import { MOST_DIRECTORIES } from '../src/constructs/tiered-store.ts';
import { KEYS, REQUESTS, shareOf } from '../src/kube/turns/turnstile.ts';
import { COMMANDS_AT_ONCE } from '../src/reconciler/kubernetes/commands/jobs.ts';
import { LARGEST_RECORD } from '../src/reconciler/kubernetes/plans/last-valid.ts';
import { backoffMs } from '../src/reconciler/queue.ts';
import { additions } from './api/additions.ts';
import { differences, refusals } from './upstream/differences.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })].toSorted();

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
  /** Of a first line `// file` or `# file`: where the reader would put it. */
  readonly file: string | undefined;
  /** Of a comment `<!-- from file -->` in front: where it stands. */
  readonly from: string | undefined;
}
const blocks: readonly Block[] = PAGES.flatMap((page) =>
  [...read(page).matchAll(/(?:<!-- from (\S+) -->\n)?^```(\w*)\n(.*?)^```$/gms)].map(([, from, language = '', text = '']) => {
    const [, file] = /^(?:\/\/|#) ([\w./-]+\.(?:ts|yaml))\n/.exec(text) ?? [];
    return { page, language, text, file, from };
  }),
);
const TUTORIAL = 'docs/adding-a-runtime.md';

describe.each(PAGES)('%s', (page) => {
  test('links to files and headings that are there', () => {
    const links = [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links.flatMap(([, file = '', heading]) => {
      const target = file === '' ? page : relative(root, join(root, dirname(page), file));
      if (!existsSync(join(root, target))) return [file];
      return heading === undefined || headingsOf(read(target)).includes(heading) ? [] : [`${file}#${heading}`];
    });
    expect(broken).toEqual([]);
  });

  test('quotes what stands in the files it names', () => {
    for (const { text, from } of blocks.filter((block) => block.page === page && block.from))
      expect(between(read(from ?? ''), text)).toBeUndefined();
  });

  test('names commands and options that there are', async () => {
    for (const [words, name, ...more] of typed(page)) {
      if (words === 'npm') expect(Object.keys(scripts), name).toContain(name);
      else expect(unknownOptions(await commandNamed(name ?? ''), more), `sluice ${name}`).toEqual([]);
    }
  });

  test('has its generated tables up to date', async () => {
    await expect(await regenerated(read(page))).toMatchFileSnapshot(join(root, page));
  });
});

describe('every one is documented:', () => {
  const everywhere = PAGES.map(read).join('\n');
  const architecture = read('docs/architecture.md');
  const operating = read('docs/operating.md');

  test('labels, annotations and finalizers', () => {
    const keys = [...Object.values(label), ...Object.values(annotation), datasetFinalizer];
    expect(keys.filter((key) => !architecture.includes(`\`${key}\``))).toEqual([]);
  });
  test('environment variables', () => {
    const sources = globSync('src/cli/**/*.ts', { cwd: root }).map(read).join('\n');
    const names = [...sources.matchAll(/env\[?\.?\[?'([A-Z_]+)'\]/g)].map(([, name = '']) => name);
    const all = new Set([...names, ...runtimes.flatMap(({ env }) => env)]);
    expect(all.size).toBeGreaterThan(8);
    expect([...all].filter((name) => !architecture.includes(`\`${name}\``))).toEqual([]);
  });
  test('conditions, and why they may be as they are', () => {
    const said = [
      ...sourcesOf('src/reconciler', 'runtimes').matchAll(
        /\breason: '([A-Z]\w+)'|\btype: '([A-Z]\w+)', (?:status|reason)|\bsetIf\(\s*'(\w+)'|\bawaited\(asker, [^,]+, '(\w+)'/g,
      ),
    ];
    const words = new Set(said.flatMap(([, ...found]) => found.find((word) => word !== undefined) ?? []));
    // One of each way to say it: a pattern that matches nothing any more would hide what is not documented.
    for (const word of ['RuntimeNotFound', 'Synced', 'PodsOutdated', 'ClaimNotBound']) expect([...words]).toContain(word);
    const ofEvents = new Set(['Normal', 'Warning']);
    expect([...words].filter((word) => !ofEvents.has(word) && !operating.includes(`\`${word}\``))).toEqual([]);
  });
  test('reasons are compared by what their table says of them, never as texts', () => {
    const compared = [...sourcesOf('src/reconciler', 'src/cli', 'runtimes').matchAll(/\breason [!=]== '([A-Z]\w+)'/g)];
    expect(compared.flatMap(([, reason = '']) => (reason in causes ? reason : []))).toEqual([]);
  });
  test('scripts of package.json', () => {
    expect(Object.keys(scripts).filter((name) => !new RegExp(`npm (run (-s )?)?${name}\\b`).test(everywhere))).toEqual([]);
  });
});

describe('what is typed:', async () => {
  const files = blocks.filter(({ page, file }) => page === TUTORIAL && file);
  const folder = written(mkdtempSync(join(tmpdir(), 'sluice-docs-')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  // What another page says to put into files is put there, for its commands.
  const folders = new Map<string, string>();
  for (const { page, file, text } of blocks) {
    if (!file || page === TUTORIAL) continue;
    const into = folders.get(page) ?? mkdtempSync(join(tmpdir(), 'sluice-docs-'));
    folders.set(page, into);
    writeFileSync(join(into, file), text);
  }
  afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true, force: true })));
  // These begin here, beside the other tests: they take the longest.
  const sluice = `${process.execPath} ${join(root, 'src/cli/main.ts')}`;
  const types = run('node_modules/.bin/tsc', ['-p', written(join(root, 'node_modules/.cache/sluice/tutorial'))], root);

  // Its own tests become tests of this file.
  for (const { file = '' } of files.filter(({ file }) => file?.endsWith('.test.ts'))) await import(join(folder, file));

  test('the tutorial type-checks', { timeout: 180_000 }, async () => expect(await types).toEqual({ code: 0, output: '' }));

  const commands = blocks.flatMap(({ page, language, text }) => {
    const shown = language === 'console' ? transcripts(text) : language === 'sh' ? offline(text) : [];
    const ended = (command: string) =>
      run('sh', ['-c', command.replaceAll('npm run -s sluice --', sluice)], page === TUTORIAL ? folder : (folders.get(page) ?? root));
    return shown.map(({ command, answer }) => ({ page, command, answer, ended: ended(command) }));
  });
  test.each(commands)('$page: $ $command', { timeout: 180_000 }, async ({ answer, ended }) => {
    const { code, output } = await ended;
    const isRefused = /^\S+:\d+: /m.test(answer);
    expect({ code, missing: between(output, answer) }, output).toEqual({ code: isRefused ? 2 : 0, missing: undefined });
  });

  test('the program for cdk8s describes the Dataset and the runtime of the YAML above it', { timeout: 180_000 }, async () => {
    const into = folders.get('docs/getting-started.md') ?? '';
    const modules = join(into, 'node_modules');
    mkdirSync(join(modules, 'sluice'), { recursive: true });
    for (const name of ['cdk8s', 'cdk8s-plus-27', 'constructs']) symlinkSync(join(root, 'node_modules', name), join(modules, name));
    symlinkSync(join(root, 'src'), join(modules, 'sluice/src'));
    const files = {
      'package.json': '{ "type": "module" }',
      'node_modules/sluice/package.json': '{ "exports": { "./cdk8s": "./src/cdk8s.ts" } }',
    };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(into, file), text);
    expect(await run(process.execPath, ['main.ts'], into)).toEqual({ code: 0, output: '' });
    const described = (file: string) =>
      parseAllDocuments(readFileSync(join(into, file), 'utf8'))
        .map(
          (document) =>
            document.toJS() as { readonly apiVersion: string; readonly kind: string; readonly metadata: object; readonly spec: object },
        )
        .filter(({ apiVersion }) => apiVersion === 'data.fluid.io/v1alpha1');
    expect(described('dataset.yaml').map(({ kind }) => kind)).toEqual(['Dataset', 'AlluxioRuntime']);
    expect(described('dist/training.k8s.yaml')).toEqual(described('dataset.yaml'));
  });

  /** The files as a reader would have them, with the sources and packages where they are for him. */
  function written(into: string): string {
    const packages = ['constructs', 'vitest', '@types'].map((name) => [`node_modules/${name}`, `node_modules/${name}`] as const);
    const links = new Map([...packages, ['node_modules/sluice/src', 'src']]);
    const testing = (file: string) => `export * from ${JSON.stringify(join(root, 'src/testing', file))};\n`;
    const compilerOptions = {
      rootDir: '/',
      rewriteRelativeImportExtensions: false,
      incremental: true,
      tsBuildInfoFile: join(root, 'node_modules/.cache/sluice/tutorial.tsbuildinfo'),
    };
    const texts = {
      ...Object.fromEntries(files.map(({ file = '', text }) => [file, text])),
      'package.json': '{ "type": "module" }\n',
      // Not all of `sluice/testing`: the control plane of the cluster tests takes seconds to check.
      'node_modules/sluice/package.json': JSON.stringify({
        type: 'module',
        exports: { '.': './src/index.ts', './api': './src/api.ts', './testing': './testing.ts' },
      }),
      'node_modules/sluice/testing.ts': testing('conformance.ts') + testing('given.ts'),
      'tsconfig.json': JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions,
        // A file that the page no longer has may still be there.
        files: files.flatMap(({ file }) => (file?.endsWith('.ts') ? file : [])),
      }),
    };
    for (const [file, text] of Object.entries(texts)) {
      const path = join(into, file);
      mkdirSync(dirname(path), { recursive: true });
      if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
    }
    for (const [link, target] of links) {
      // One that another checkout left here may lead nowhere.
      rmSync(join(into, link), { force: true });
      symlinkSync(join(root, target), join(into, link));
    }
    return into;
  }
});

/** Markdown without code, in which a `]` and a `(` may meet by chance. */
function withoutCode(text: string): string {
  return text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');
}

/** As GitHub makes them. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The first line that does not stand in the text, after the one before; a line `…`, or `// …`, stands for any. */
function between(text: string, wanted: string): string | undefined {
  const lines = text.split('\n');
  let at = 0;
  let maySkip = true;
  for (const line of wanted.trimEnd().split('\n')) {
    if (/^\s*(\/\/ |# )?…$/.test(line)) {
      maySkip = true;
      continue;
    }
    const found = maySkip ? lines.indexOf(line, at) : lines[at] === line ? at : -1;
    if (found === -1) return line;
    at = found + 1;
    maySkip = false;
  }
  return undefined;
}

/** What the blocks of a page say to type, as words; `npm` or `sluice` first. */
function typed(page: string): readonly (readonly string[])[] {
  const lines = blocks.flatMap((block) => {
    if (block.page !== page || !['sh', 'console'].includes(block.language)) return [];
    return block.language === 'sh' ? block.text.split('\n') : transcripts(block.text).map(({ command }) => command);
  });
  return lines.flatMap((line) => {
    const [, words] = /(?:npm run -s sluice --|^sluice) ([^|#]*)/.exec(line) ?? [];
    if (words !== undefined) return [['sluice', ...words.trim().split(/\s+/)]];
    const [, script] = /\bnpm (?:run (?:-s )?)?([a-z]\w*)/.exec(line) ?? [];
    return script === undefined || ['install', 'ci', 'init', 'pack'].includes(script) ? [] : [['npm', script]];
  });
}

interface Transcript {
  readonly command: string;
  readonly answer: string;
}
function transcripts(text: string): readonly Transcript[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => ({ command: part.split('\n')[0] ?? '', answer: part.split('\n').slice(1).join('\n') }));
}

/** What can be typed without a cluster; whatever it prints. */
const offline = (text: string): readonly Transcript[] =>
  [...text.matchAll(/^npm run -s sluice -- (?:synth|crds)\b(?!.*--cluster)[^|#\n]*/gm)].map(([command]) => ({ command, answer: '…' }));

const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };

async function commandNamed(name: string): Promise<Command> {
  const known = COMMANDS.find((each) => each.name === name);
  if (!known) throw new Error(`no command of sluice is called ${name}`);
  const { define } = await known.load();
  const command = new Command(name);
  define(command, { runtimes: async () => runtimes, resources: async () => [] });
  return command;
}

function unknownOptions({ options }: Command, words: readonly string[]): readonly string[] {
  const known = new Set(options.flatMap(({ long, short }) => [long, short]));
  const used = words.filter((word) => /^-./.test(word) && word !== '--help').map((word) => word.split('=')[0] ?? '');
  return used.filter((word) => !known.has(word));
}

const sourcesOf = (...folders: readonly string[]): string =>
  globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  )
    .map(read)
    .join('\n');

function regenerated(page: string): Promise<string> {
  const parts = page.split(/(<!-- generated: (?:\w+) -->\n).*?(?=<!-- end -->)/gs);
  return Promise.all(
    parts.map(async (part) => {
      const [, name] = /^<!-- generated: (\w+) -->\n$/.exec(part) ?? [];
      return name === undefined ? part : `${part}\n${await (tables[name] ?? notThere(name))()}\n\n`;
    }),
  ).then((texts) => texts.join(''));
}

function notMeasured(bench: string): never {
  throw new Error(`docs/benchmarks.md has no ${bench}`);
}
const notThere = (name: string) => () => Promise.reject(new Error(`there is no table ${name}`));

async function flagsOf(command: string): Promise<string> {
  const { options } = await commandNamed(command);
  return table(
    [`flag of \`sluice ${command}\``, 'what it says', 'default'],
    options.map(({ flags, description, argChoices, defaultValue }) => [
      `\`${flags}\``,
      description + (argChoices ? `: ${argChoices.join(', ')}` : ''),
      defaultValue === undefined || defaultValue === true ? '' : `\`${String(defaultValue)}\``,
    ]),
  );
}

const tables: Readonly<Record<string, () => Promise<string>>> = {
  flags: () => flagsOf('reconcile'),
  installFlags: () => flagsOf('install'),
  async rights() {
    const rows = (who: string, rights: readonly Right[]) =>
      rights.map(({ group, resources, names = [], verbs, because }) => [
        who,
        [...resources.map((resource) => `\`${resource}\``), group && `of \`${group}\``].filter(Boolean).join(' '),
        names.map((name) => `\`${name}\``).join(' '),
        verbs.join(', '),
        because,
      ]);
    return table(
      ['who', 'resources', 'only these', 'verbs', 'why'],
      [
        ...rows('controller', controllerRights(runtimes, 'fluid-system')),
        ...rows('controller, in its namespace', electionRights),
        ...rows('node plugin', nodePluginRights(runtimes)),
      ],
    );
  },
  async limits() {
    const kib = (bytes: number) => `${bytes / 1024} KiB`;
    const shared = (places: number) => `${places}, of one namespace ${shareOf(places)}`;
    const seconds = (ms: number) => (ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${ms / 1000} s` : `${ms / 60_000} min`);
    return table(
      ['limit', 'value'],
      [
        ['keys that the controller reconciles at once', shared(KEYS)],
        ['requests to the API server under way at once', shared(REQUESTS)],
        ['commands of one kind in pods at once', String(COMMANDS_AT_ONCE)],
        ['back-off of a key that fails', `${seconds(backoffMs(1))} to ${seconds(backoffMs(Infinity))}`],
        ['entries of one list or map of a spec', String(MOST_ENTRIES)],
        ['characters of one text of a spec', LONGEST_TEXT.toLocaleString('en')],
        ['characters of a quantity, such as a quota', String(LONGEST_QUANTITY)],
        ['Secrets that options of one Dataset name', String(MOST_SECRETS)],
        ['cache directories of one tier', String(MOST_DIRECTORIES)],
        ['last valid specs that a restart of the controller remembers', kib(LARGEST_RECORD)],
      ],
    );
  },
  async reasons() {
    const rows = Object.entries<Cause>(causes);
    return table(
      ['reason', 'means', 'what to do', 'ends without help'],
      rows.map(([reason, { means, toDo, passing }]) => [`\`${reason}\``, means, toDo, passing ? 'yes' : '']),
    );
  },
  async metrics() {
    const { registry } = createMetrics('host', () => ({ byPhase: new Map(), notSynced: [], ufs: [] }));
    const ours = registry.getMetricsAsArray().filter(({ name }) => !/^(process|nodejs)_/.test(name)) as unknown as readonly {
      name: string;
      help: string;
      type: string;
      labelNames?: readonly string[];
    }[];
    return table(
      ['metric', 'type', 'labels', 'what it says'],
      ours.map(({ name, type, labelNames = [], help }) => [`\`${name}\``, type, labelNames.map((each) => `\`${each}\``).join(', '), help]),
    );
  },
  async figures() {
    const rows = new Map(
      [...read('docs/benchmarks.md').matchAll(/^\| ([^|]+) \| ([\d.]+) [^|]*\|[^|]*\|[^|]*\| ([^|]*)\|$/gm)].map(
        ([, bench = '', ...cells]) => [bench, cells],
      ),
    );
    const row = (what: string, bench: string, unit: string) => [
      what,
      `${rows.get(bench)?.[0] ?? notMeasured(bench)}${unit}`,
      rows.get(bench)?.[1]?.trim() ?? '',
    ];
    const drift = [...rows].flatMap(([bench, [ours = '', fluid = '']]) =>
      bench.startsWith('drift/') ? [{ ours: Number(ours), fluid }] : [],
    );
    const never = drift.filter(({ fluid }) => fluid.trim() === 'never').length;
    const slowest = Math.max(...drift.flatMap(({ fluid }) => [...fluid.matchAll(/[\d.]+/g)].map(Number)));
    return table(
      ['', 'Sluice', 'Fluid'],
      [
        row('a ThinRuntime, from applied to Bound, median', 'bind-one/thin-bound', ' s'),
        row('… to its claim Bound, the worst seen', 'bind-one/thin-worst', ' s'),
        row('a JuiceFSRuntime, from applied to Bound, median', 'bind-one/juicefs-bound', ' s'),
        row('… to its claim Bound, the worst seen', 'bind-one/juicefs-worst', ' s'),
        row('1,000 ThinRuntimes at once, Bound per second', 'bind-1000/rate', ''),
        row('requests to the API server for each', 'bind-1000/requests', ''),
        [
          `${drift.length} kinds of drift, repaired within`,
          `${Math.max(...drift.map(({ ours }) => ours))} s`,
          `${never} of ${drift.filter(({ fluid }) => fluid.trim() !== '').length} never repaired, the others within ${slowest} s`,
        ],
        row('restarted after a crash, to the next Bound', 'recover/same-place', ' s'),
        row('memory of an idle controller', 'idle-rss', ' MB'),
      ],
    );
  },
  async differences() {
    return table(
      ['object', 'what', 'Fluid', 'Sluice', 'why'],
      differences.map(({ cases, object, path, fluid, ours, reason }) => [
        objects(object) + (cases ? ` in ${code(plain(cases))}` : ''),
        path.source === '^$' ? 'the object' : code(plain(path)),
        meaning(fluid),
        meaning(ours),
        reason,
      ]),
    );
  },
  async refusals() {
    return table(
      ['case', 'Fluid says', 'Sluice says'],
      Object.entries(refusals).map(([name, { fluid, ours }]) => [code(name), fluid, ours]),
    );
  },
  async additions() {
    return table(
      ['kinds', 'path', 'why'],
      additions.map(({ kinds, path, reason }) => [kinds === 'all' ? 'all' : kinds.join(', '), code(path), reason]),
    );
  },
};

const code = (text: string): string => `\`${text}\``;

/** A pattern as people read it. */
const plain = ({ source }: RegExp): string =>
  source
    .replace(/^\^|\$$/g, '')
    .replace(/\\(.)/g, '$1')
    .replace(/^"|"$/g, '')
    .replace(/\/$/, '')
    .replaceAll('.*', '…')
    .trim();
const objects = (pattern: RegExp): string => {
  const [, alternatives] = /^\(([^()]*)\)$/.exec(plain(pattern)) ?? [];
  return plain(pattern) === '.' ? 'every object' : (alternatives?.split('|') ?? [plain(pattern)]).map(code).join(', ');
};
const meaning = (pattern: RegExp | undefined): string => {
  const text = pattern && plain(pattern);
  return text === undefined ? 'nothing' : text === '.' ? 'something' : text === 'made' ? 'created' : code(text);
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`)
    .join('\n');

interface Ended {
  readonly code: number;
  readonly output: string;
}
function run(file: string, args: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd, maxBuffer: 16 << 20 }, (error: ExecFileException | null, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}
