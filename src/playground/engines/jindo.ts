/** A stand-in for Jindo, in memory: the command line of JindoCache and of JindoFSx, and a table of mounts. No Jindo runs: its software is not public. */
import type { ExecAnswer } from './exec-call.ts';

export interface SimulatedJindo {
  /** The engine's table: sources by path. */
  readonly mounted: Map<string, string>;
  /** Whether JindoCache has its cache sets. */
  hasSets: boolean;
  /** The record of the last change of mounts in the pod. */
  record: string;
  readonly size: { readonly files: number; readonly bytes: number };
}

export const simulatedJindo = (): SimulatedJindo => ({
  mounted: new Map(),
  hasSets: false,
  record: '',
  size: { files: 1152, bytes: 154_262_709_011 },
});

/** Output and end of one of Sluice's commands; `undefined` for one that Jindo's pods would not know. */
export function jindoAnswer(jindo: SimulatedJindo, argv: readonly string[]): ExecAnswer | undefined {
  const script = argv[0] === 'bash' ? (argv[2] ?? '') : argv.join(' ');
  // Directories of workers and masters, of which there are no files here.
  if (script.includes('rm -rf -- "$entry"')) return {};
  if (!/\b(jindocache|jindo|hadoop) (-|fs |admin )/.test(script)) return undefined;
  const answers = script.split(/\n| && /).flatMap((line) => answer(jindo, line));
  const { exitCode = 0 } = answers.find((each) => each.exitCode) ?? {};
  const all = (stream: 'stdout' | 'stderr') => answers.map((each) => each[stream] ?? '').join('');
  return { stdout: all('stdout'), stderr: all('stderr'), exitCode };
}

const REPORT = `Namespace Address: localhost:18000
Rpc Port: 8101
Started: Mon Jul 19 07:41:39 2021
Live Nodes: 2
Decommission Nodes: 0
Mode: BLOCK
Total Disk Capacity: 250.38GB
Used Disk Capacity: 11.72GB
Total MEM Capacity: 4.00GB
Used MEM Capacity: 1.00GB
`;

/** A line of a script; nothing for what is not Jindo's. */
function answer(jindo: SimulatedJindo, line: string): readonly ExecAnswer[] {
  if (/^if \[ -r \S*cacheset.record/.test(line)) return [{ stdout: jindo.record }];
  const [, record] = /^echo '(cache sets \w+)' > /.exec(line) ?? [];
  if (record) jindo.record = `${record}\n`;
  const [, wrapper, verb = '', rest = ''] =
    /^(mount )?(?:jindocache|jindo fs|jindo admin|hadoop fs) -(\w+)(.*?)(?: \|\| failed=\$\?)?$/.exec(line) ?? [];
  const act = VERBS[verb];
  if (!act) return [];
  // Paths and addresses have no blanks.
  const said = act(jindo, ...rest.split(' ').filter(Boolean));
  // Our script tolerates that it is there.
  return wrapper ? [said.stderr?.startsWith(EXISTS) ? {} : { ...said, stdout: '' }] : [said];
}
const EXISTS = 'Mount point already exists';

const VERBS: Readonly<Record<string, (jindo: SimulatedJindo, ...words: readonly string[]) => ExecAnswer>> = {
  report: () => ({ stdout: REPORT }),
  count: ({ size }, address = '') => ({ stdout: `           4         ${size.files}       ${size.bytes} ${address}\n` }),
  mount: (jindo, path, source) => (path && source ? mount(jindo, path, source) : { stdout: table(jindo) }),
  unmount: ({ mounted }, path = '') =>
    mounted.delete(path) ? { stdout: 'ok\n' } : { stderr: `${path} is no mount point\n`, exitCode: 255 },
  listCacheSet: ({ hasSets, mounted }) => ({
    stdout: hasSets ? [...mounted.values()].map((source) => `path: ${source} cacheStrategy: DISTRIBUTED\n`).join('') : '',
  }),
  refreshCacheSet(jindo) {
    jindo.hasSets = true;
    return { stdout: 'ok\n' };
  },
  formatCache: () => ({ stdout: 'ok\n' }),
};

function mount({ mounted }: SimulatedJindo, path: string, source: string): ExecAnswer {
  if (mounted.has(path)) return { stderr: `${EXISTS}\n`, exitCode: 255 };
  mounted.set(path, source);
  return { stdout: 'ok\n' };
}

/** A mount a line; the third field is the path. */
const table = ({ mounted }: SimulatedJindo): string => [...mounted].map(([path, source]) => `${source} on ${path} (ok)\n`).join('');
