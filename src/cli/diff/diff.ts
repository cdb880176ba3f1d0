import { stringify } from 'yaml';
import { createClient } from '../../kube/client/kube-client.ts';
import { ApiError, NoAnswer } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/types.ts';
import { FIELD_MANAGER } from '../../planning/diff/managed-fields.ts';
import type { Define } from '../command.ts';
import { Refused, UsageError } from '../errors.ts';
import { passedOver } from '../input/passed-over.ts';
import { readFiles, readInput } from '../input/read.ts';
import { SETTINGS_ENVIRONMENT, type SettingsFlags, settingsOf, settingsOptions } from '../settings/config.ts';
import { allRuntimes } from '../settings/config-file.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { inCluster } from '../synth/lookup.ts';
import { renderAll } from '../synth/render.ts';
import { warningLines } from '../synth/warnings.ts';
import { complain, type Line, say, styled } from '../terminal.ts';
import { type Change, changesOf, readable } from './changes.ts';
import { checkOffline, throwFaults } from './offline.ts';
import { operationChanges } from './operation-changes.ts';
import { takenIn } from './taken.ts';
import { unified } from './unified.ts';

interface Flags extends SettingsFlags, ConnectionFlags {
  readonly namespace?: string;
  readonly offline?: boolean;
}

const EXAMPLES = `
Examples:
  sluice diff cache.yaml                          what applying it would change
  sluice diff --context prod cache.yaml || echo there are changes
  NO_COLOR=1 sluice diff cache.yaml > changes.txt

  sluice diff --offline .                         faults of the manifests in a folder, without a cluster

Without a cluster, compare two outputs of synth to see what a commit changes:
  git show HEAD:cache.yaml | sluice synth - > before.yaml
  sluice synth cache.yaml | diff -u before.yaml -

The API server runs every change as a dry run, so the output includes defaults and admission. Use the flags and the
environment of your controller, since they influence manifests. Contents of Secrets are never shown.

The Job of an operation is never changed, and an operation that is over does not run again: the output says so.
A CronJob follows edits.

${SETTINGS_ENVIRONMENT.trim()}

Exit codes:
  0  no differences; with --offline, no faults
  1  differences
  2  error: bad input, or no answer from the cluster`;

export const define: Define = (command, parts) => {
  connectionOptions(settingsOptions(command))
    .argument('<files...>', 'Datasets, runtimes and operations, YAML or JSON; - is standard input, a folder means its files')
    .option('-n, --namespace <namespace>', 'namespace of objects that have none (default: the context’s, else default)')
    .option('--offline', 'report only faults of the input; Secrets and other objects outside of it are assumed to exist')
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], flags: Flags) => {
      keepHeapSmall();
      const runtimes = await allRuntimes(await parts.runtimes(), flags.config);
      const settings = settingsOf(flags, process.env, runtimes);
      const texts = await readFiles(files);
      if (flags.offline) return checkOffline(readInput(texts, runtimes, flags.namespace ?? 'default'), { settings, runtimes });
      try {
        const connection = await connect(flags, process.env).catch((error: unknown) => {
          throwFaults(readInput(texts, runtimes, flags.namespace ?? 'default'));
          throw error;
        });
        const client = createClient(connection, { fieldManager: FIELD_MANAGER });
        try {
          const input = readInput(texts, runtimes, flags.namespace ?? connection.namespace ?? 'default');
          throwFaults(input);
          const cluster = inCluster(client, runtimes);
          const rendered = await renderAll(input, { settings, runtimes, elsewhere: cluster });
          const known = (await Promise.all(runtimes.map(({ resource }) => cluster.list(resource.kind)))).flat();
          const uids = new Set(known.map(({ metadata }) => metadata.uid));
          const taken = takenIn(cluster, runtimes, known);
          const changes: Change[] = [];
          for (const each of rendered.datasets) {
            const other = await taken(each);
            changes.push(...(other ? [other] : await changesOf(client, each, (uid) => uids.has(uid))));
          }
          for (const each of rendered.operations) changes.push(...(await operationChanges(client, each)));
          complain(...warningLines(rendered), ...passedOver(input));
          say(...report(changes));
          process.exitCode = changes.some(({ action }) => action !== 'none') ? 1 : 0;
        } finally {
          await client.close();
        }
      } catch (error) {
        // As for diff(1), exit code 1 means that there are differences.
        if (error instanceof Refused || error instanceof ApiError || error instanceof NoAnswer) throw new UsageError(error.message);
        throw error;
      }
    });
};

function report(changes: readonly Change[]): readonly Line[] {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const counts = [
    `${count('add')} to add`,
    `${count('change')} to change`,
    `${count('prune')} to delete`,
    ...(count('refuse') > 0 ? [`${count('refuse')} that cannot be written`] : []),
  ];
  const total = changes.every(({ action }) => action === 'none')
    ? `No differences in ${changes.length} ${changes.length === 1 ? 'object' : 'objects'}.`
    : `${counts.join(', ')}, ${count('none')} unchanged.`;
  return [...changes.flatMap(section), [styled('bold', total)]];
}

const TITLES = {
  add: 'would be added',
  change: 'would be changed',
  prune: 'would be deleted',
  refuse: 'cannot be written',
  none: '',
} as const;

function section({ object, action, before, after, problem, note, immutable, stale, restarting }: Change): readonly Line[] {
  const notes = [
    ...(problem ? [`! ${problem}`] : []),
    ...immutable.map((text) => `! ${text}`),
    ...(stale.length > 0 ? [`! ${pods(stale)} the old template until deleted: ${stale.join(', ')}`] : []),
    ...(restarting.length > 0 ? [`! would restart: ${restarting.join(', ')}`] : []),
  ];
  if (note !== undefined) return [[styled('bold', `${object} ${note}`)], ''];
  if (action === 'none' && notes.length === 0) return [];
  const hunks = action === 'add' || action === 'change' ? masked(before, after) : [];
  const invisible = action === 'change' && hunks.length === 0 ? ['  (only in annotations of the controller)'] : [];
  const title = [styled('bold', `${object}${TITLES[action] && ` ${TITLES[action]}`}`)];
  return [title, ...hunks.map(painted), ...invisible, ...notes.map((note) => [styled('yellow', note)]), ''];
}

const pods = ({ length }: readonly string[]): string => (length === 1 ? '1 pod keeps' : `${length} pods keep`);

/** A unified diff of the two as YAML. Of a Secret it shows which keys differ, not what is in them. */
function masked(before: KubeObject | undefined, after: KubeObject | undefined): readonly string[] {
  const [old, young] = [before, after].map((object) => (object ? (readable(object) as Record<string, unknown>) : undefined));
  if ((after ?? before)?.kind === 'Secret') {
    const [a, b] = [old?.['data'], young?.['data']] as [Record<string, string>?, Record<string, string>?];
    if (old) old['data'] = mask(a, b, 'before');
    if (young) young['data'] = mask(b, a, 'after');
  }
  return unified(yamlLines(old), yamlLines(young));
}

/** Hides values so that equal ones still look equal, and different ones different. */
const mask = (data: Record<string, string> = {}, other: Record<string, string> = {}, word: string) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, other[key] === undefined || other[key] === value ? '***' : `*** (${word})`]),
  );

const yamlLines = (object: object | undefined): readonly string[] =>
  object ? stringify(object, { lineWidth: 0, aliasDuplicateObjects: false, sortMapEntries: true }).trimEnd().split('\n') : [];

function painted(line: string): Line {
  if (line.startsWith('@@')) return [styled('cyan', line)];
  if (line.startsWith('+')) return [styled('green', line)];
  return line.startsWith('-') ? [styled('red', line)] : line;
}
